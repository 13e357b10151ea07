#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/grid/trial_costs.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Where each trial of a plan is, as a results folder has it: what it does not have is planned, or waits.
std::vector<TrialStatus> statuses_in(const StudyResults& results, const std::vector<StudyPlanEntry>& plan);

/// Whether a trial has still to be run: it is neither done nor failed. Where failed ones are to be run again, call them
/// planned.
bool is_to_run(TrialStatus status);

struct EstimatedTrial {
  TrialStatus status = TrialStatus::planned;
  std::optional<TrialCost> cost;  ///< nothing where nothing is known
  /// Its settings are still to be chosen: what trials of the study with the most labels in common take on average.
  bool guessed = false;
};

/// What is left of a stage, or of a whole study, of which a trial of two stages is run once: it is counted with each,
/// and what it takes is in the sums once.
struct WorkEstimate {
  std::string stage;  ///< empty: the whole study
  std::size_t trials = 0, done = 0, failed = 0, to_run = 0;
  std::size_t unknown = 0;  ///< of those to run: what they take is not known, and not in the sums
  double one_by_one_seconds = 0;
  double seconds = 0;              ///< in all slots, each of which takes the longest trial left when it is free
  std::uint64_t memory_bytes = 0;  ///< that a machine with all slots needs at most
  std::uint64_t disk_bytes = 0;
};

struct StudyEstimate {
  std::vector<EstimatedTrial> trials;  ///< in the plan's order
  std::vector<WorkEstimate> stages;    ///< in the plan's order, each by itself
  WorkEstimate whole;                  ///< trials that wait begin when all before their stage are through
};

/// What a study will take with `slots` (one at least) trials side by side. `statuses` are those of the plan's trials.
StudyEstimate estimate_study(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                             const TrialCosts& costs, const Resources& resources, std::size_t slots);

}  // namespace gausscse
