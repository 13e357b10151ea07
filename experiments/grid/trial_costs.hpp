#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/study/run_record.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse {

/// What a trial takes, or is expected to.
struct TrialCost {
  double seconds = 0;              ///< wall time
  std::uint64_t memory_bytes = 0;  ///< of all its processes together
  std::uint64_t disk_bytes = 0;
};

/// Learns from trials that are done what others will take.
class TrialCosts {
 public:
  /// A done trial. It is looked at now and not kept.
  void learn(const Trial& trial, const RunRecord& run);

  /// Nothing where no trial that is enough like it is done.
  std::optional<TrialCost> expected(const Trial& trial) const;

 private:
  struct Known {
    std::string kind;     ///< all that trials share whose costs are comparable
    double examples = 0;  ///< over all steps
    double batch_size = 0;
    RunRecord run;
  };
  std::vector<Known> known_;
};

}  // namespace gausscse
