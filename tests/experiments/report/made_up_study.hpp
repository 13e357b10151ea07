#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/study/study_results.hpp"
#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Text that is markup, leaves an attribute, turns the direction of writing, is not UTF-8 and has no place to break.
extern const std::string hostile_text;

struct MadeUpStudy {
  std::vector<std::string> systems = {"ent", "ent+con", "ent+rev", "ent+con+rev", "simcse"};
  std::int64_t seeds = 5;
  std::int64_t steps = 400;
  std::int64_t pairs = 600;          ///< pairs of an NLI task
  std::int64_t untrained_seed = -1;  ///< trials with this seed keep the state before their first step
  bool hostile = false;              ///< true if names and errors are hostile_text
};

/// Writes a results folder with plausible curves and scores, the same bytes each time. The stage `choose` is a grid of
/// batch size and learning rate. The stage `final` has all systems: of its trials one failed, one is damaged, one runs
/// and one waits. Tasks are dev, snli, sick, sts12 and tokens. `folder`/results is the results folder.
void write_made_up_study(const std::filesystem::path& folder, const MadeUpStudy& study);

/// Returns a table of the stage `final` as tables of studies are, with the best marked, tests, a paper's figures and a
/// missing trial.
StudyTable made_up_table(const MadeUpStudy& study);

}  // namespace gausscse
