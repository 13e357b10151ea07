#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/study/run_record.hpp"

namespace gausscse {

/// Time and disk of a trial, measured or expected.
struct TrialCost {
  double seconds = 0;      ///< wall time
  double disk_bytes = 0;   ///< bytes that stay when it is done
  double model_bytes = 0;  ///< bytes of its saved model; 0: unknown
};

/// Returns the trial without the settings that change neither time nor disk: seed, learning rate and the like. Trials
/// of one kind cost the same.
Trial cost_kind(const Trial& trial);

/// Expected costs of trials on certain ranks and threads: medians over the trials of their kind that are done or
/// probed.
class TrialCosts {
 public:
  explicit TrialCosts(const Resources& resources = {}) : ranks_(resources.ranks), threads_(resources.threads) {}

  /// Learns from a done trial, whose saved model has `model_bytes` (0: it was not kept). A record of other ranks or
  /// threads is ignored.
  void learn(const Trial& trial, const RunRecord& run, double model_bytes = 0);
  void learn(const Trial& trial, const TrialCost& cost);
  /// Returns nothing where no trial of its kind was learned.
  std::optional<TrialCost> expected(const Trial& trial) const;

 private:
  std::int64_t ranks_, threads_;
  std::vector<std::pair<Trial, std::vector<TrialCost>>> kinds_;
};

}  // namespace gausscse
