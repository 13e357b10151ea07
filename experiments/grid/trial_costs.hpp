#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/grid/probe_record.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/study/run_record.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse {

/// What a trial takes, or is expected to.
struct TrialCost {
  double seconds = 0;              ///< wall time
  std::uint64_t memory_bytes = 0;  ///< of all its processes together
  std::uint64_t disk_bytes = 0;
};

/// Learns from trials that are done, and from probes, what other trials will take.
///
/// A trial of S steps of B examples takes S * step(B) + rest(m) seconds, where m is how often its tasks are measured
/// while training. `step` and `rest` are those of trials of the same `cost_kind` on as many ranks and threads: of those
/// with the same batch size and objective if there are any, else of those with the same batch size, else on a line
/// through those of other batch sizes; of several the median. A probe fills in what no trial tells.
class TrialCosts {
 public:
  /// A done trial. It is looked at now and not kept. One whose record makes no sense teaches nothing.
  void learn(const Trial& trial, const RunRecord& run);
  /// What a probe measured of trials like this one.
  void learn(const Trial& trial, const ProbeRecord& probe);

  /// Nothing where no trial that is enough like it is done or probed, or where nothing tells its number of steps.
  /// Without `resources` it is taken to run on as many ranks and threads as the trial like it that came first.
  std::optional<TrialCost> expected(const Trial& trial) const;
  std::optional<TrialCost> expected(const Trial& trial, const Resources& resources) const;

 private:
  struct Run {
    ObjectiveSettings objective;
    double batch_size = 0;
    std::int64_t epochs = 0;  ///< 0: its number of steps was given
    std::int64_t steps = 0;
    double step_seconds = 0;   ///< of one
    double rest_seconds = 0;   ///< of all but steps
    double periodic = 0;       ///< measurements while training
    bool interrupted = false;  ///< the rest holds more than one start
    std::uint64_t memory_bytes = 0;
    std::uint64_t disk_bytes = 0;
  };
  struct Kind {
    Trial trial;
    std::int64_t ranks = 1, threads = 1;
    std::vector<Run> runs;
    std::optional<ProbeRecord> probe;
  };

  Kind& kind_of(const Trial& trial, std::int64_t ranks, std::int64_t threads);
  static std::optional<TrialCost> cost_in(const Kind& kind, const Trial& trial);
  static std::optional<std::int64_t> steps_in(const Kind& kind, const Trial& trial);
  static std::optional<double> step_seconds_in(const Kind& kind, const Trial& trial);
  static double rest_seconds_in(const Kind& kind, const Trial& trial, std::int64_t steps);
  static std::uint64_t memory_in(const Kind& kind, const Trial& trial);
  static std::uint64_t disk_in(const Kind& kind);

  std::vector<Kind> kinds_;
};

}  // namespace gausscse
