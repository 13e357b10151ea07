#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "experiments/results/run_result.hpp"
#include "experiments/training/training_observer.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/ops/host_copy.hpp"

namespace gausscse {

/// Tells of a training's steps. One on a GPU is told while the next computes, as its gradients' norm is known only
/// when its backward is done, and nobody should wait for that.
class StepReports {
 public:
  using Clock = std::chrono::steady_clock;
  /// Tells the time.
  using Now = std::function<Clock::time_point()>;

  /// A step whose work is queued.
  struct Step {
    std::int64_t number;
    double loss;
    double learning_rate;
    at::Tensor squared_norm;  ///< of the gradients, float64 [1]
    std::int64_t examples, tokens;
    Clock::time_point begin;
  };

  StepReports(TrainingObserver& observer, ParameterStore& parameters, std::int64_t total_steps, Now now)
      : observer_(observer), parameters_(parameters), total_steps_(total_steps), now_(std::move(now)) {}

  /// Tells of the steps before this one, and on CPUs of this one.
  void add(const Step& step, TrainingSeries& series);
  /// Tells of all steps that were added, in `series` and to the observer. Throws InputError where the loss or the
  /// gradients of a step are not finite; a step on a CPU with the name of its largest gradient.
  void finish(TrainingSeries& series);

 private:
  struct Added {
    Step step;
    ops::HostCopy squared_norm;
  };

  TrainingObserver& observer_;
  ParameterStore& parameters_;
  std::int64_t total_steps_;
  Now now_;
  std::optional<Added> last_;
  Clock::time_point told_;  ///< when the last step was told
};

}  // namespace gausscse
