#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiments/manifest/plan.hpp"
#include "experiments/worker/trial_costs.hpp"

namespace gausscse {

/// Order in which a study's trials are begun: those of unknown cost in the plan's order, so that something is learned
/// of each kind, then the longest first, so that the last ones to end are short.
class TrialQueue {
 public:
  explicit TrialQueue(const Resources& resources = {}) : costs_(resources) {}

  /// Learns from a done trial, once.
  void learn(const StudyPlanEntry& trial, const RunRecord& run);

  /// Returns the order of `trials`, by position. Costs are estimated again where a tenth more trials are done than the
  /// last time, or `trials` has another length.
  const std::vector<std::size_t>& order(const std::vector<StudyPlanEntry>& trials);
  /// Returns what each of the trials that were put in order last is expected to take, in seconds; infinity where it is
  /// unknown.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  TrialCosts costs_;
  std::map<std::string, bool> learned_;
  std::size_t learned_at_order_ = 0;
  std::vector<std::size_t> order_;
  std::vector<double> seconds_;
};

}  // namespace gausscse
