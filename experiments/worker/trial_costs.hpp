#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_records.hpp"

namespace gausscse {

/// Cost of a trial, measured or expected.
struct TrialCost {
  double seconds = 0;           ///< wall time
  double disk_bytes = 0;        ///< bytes that stay when it is done
  double gpu_memory_share = 0;  ///< share of its GPU's memory, at most; 0: on CPUs, or unknown
};

/// Returns the trial without the settings that change neither time nor disk: seed, learning rate and the like. Trials
/// of one kind cost the same.
Trial cost_kind(const Trial& trial);

/// Expected costs of trials on certain ranks and threads, over the done trials of their kind: medians of time and disk,
/// the most of a GPU's memory.
class TrialCosts {
 public:
  explicit TrialCosts(const Resources& resources = {}) : ranks_(resources.ranks), threads_(resources.threads) {}

  /// Learns from a done trial. A record of other ranks or threads is ignored.
  void learn(const Trial& trial, const RunRecord& run);
  /// Returns nothing where no trial of its kind was learned.
  std::optional<TrialCost> expected(const Trial& trial) const;

 private:
  using KindCosts = std::pair<Trial, std::vector<TrialCost>>;

  std::int64_t ranks_, threads_;
  std::vector<KindCosts> kinds_;
};

/// Order in which a study's trials are begun. Those of unknown cost come in the plan's order, so that something is
/// learned of each kind. Then come the longest first, so that the last ones to end are short.
class TrialQueue {
 public:
  explicit TrialQueue(const Resources& resources = {}) : costs_(resources) {}

  /// Learns from a done trial, once.
  void learn(const StudyPlanEntry& trial, const RunRecord& run);
  const TrialCosts& costs() const { return costs_; }

  /// Returns the order of `trials`, by position. Costs are estimated again where a tenth more trials are done than the
  /// last time, or `trials` has another length.
  const std::vector<std::size_t>& order(const std::vector<StudyPlanEntry>& trials);
  /// Returns the expected seconds of each of the trials that were put in order last; infinity where they are unknown.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  TrialCosts costs_;
  std::set<std::string> learned_;
  std::size_t learned_at_order_ = 0;
  std::vector<std::size_t> order_;
  std::vector<double> seconds_;
};

}  // namespace gausscse
