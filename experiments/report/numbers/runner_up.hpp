#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/study/study_results.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// The best of the settings that a headline's best one is above.
struct RunnerUp {
  std::string label;
  double difference = 0;    ///< mean of the best setting less that of this one
  std::optional<double> p;  ///< p of `DifferenceTest`; without items of Welch's test; nothing with one seed
};

/// Tests the best setting against another by a metric, "TASK.METRIC", of trials that have it. Items of trials of the
/// same seed are compared, with draws as in tables.
RunnerUp runner_up(const std::vector<const StudyTrial*>& best, const std::vector<const StudyTrial*>& other,
                   const std::string& label, const std::string& metric, int threads, TrialItems& items);

}  // namespace gausscse
