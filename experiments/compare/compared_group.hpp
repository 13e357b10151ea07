#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "experiments/study/study_results.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Trials of a study, as "RESULTS:axis=label,axis=label" names them; "stage" and "seed" may stand among the axes.
struct GroupSelection {
  std::filesystem::path results;
  std::vector<std::pair<std::string, std::string>> labels;  ///< axis and label, each axis once
};

/// Returns nothing where the text is no such thing: no folder stands before a colon. Throws InputError where the text
/// behind the colon is no list of axis=label.
std::optional<GroupSelection> parse_group_selection(const std::string& text);

/// Returns the study's trials that have all of the labels, done or not, each once: of the stage that is named, else of
/// the last that has any. Throws InputError where there are none, with the nearest axis or label.
std::vector<const StudyTrial*> select_trials(const StudyResults& study, const GroupSelection& selection);

/// A result that is compared.
struct ComparedTrial {
  std::string title;  ///< for people
  StateResult kept;   ///< with columns
  std::string configuration;
  Provenance provenance;
  std::optional<Trial> trial;        ///< nothing where this version cannot read the configuration
  std::optional<std::int64_t> seed;  ///< nothing where `trial` is
  bool untrained = false;            ///< it had steps, and kept the state before the first of them
};

/// One side of a comparison: one result or several.
struct ComparedGroup {
  std::string name;  ///< as the user gave it
  std::vector<ComparedTrial> trials;
  std::vector<std::string> notes;         ///< remarks that a reader needs, such as trials that are not done
  std::vector<std::string> damaged = {};  ///< trials that are left out because a file was changed, and the reason
  std::string warning = {};               ///< names results in which damage is not noticed; empty where there is none
};

/// Reads the group that a user named: a result file, a folder with one (that of a trial, or a training's output), or a
/// group of trials of a study (see GroupSelection). Throws InputError where it is none, or none of a group's trials is
/// done.
ComparedGroup read_compared_group(const std::string& argument);

}  // namespace gausscse
