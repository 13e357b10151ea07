#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "model/batch/parameter_store.hpp"
#include "model/device/transfers.hpp"
#include "results/run_result.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Reports of a training's steps. A step on a GPU is reported while the next computes, as its gradients' norm is known
/// only when its backward is done, and nobody should wait for that.
class StepReports {
 public:
  using Clock = std::chrono::steady_clock;
  /// Function that returns the time.
  using Now = std::function<Clock::time_point()>;

  /// A step whose work is queued.
  struct Step {
    std::int64_t number;
    double loss;
    double learning_rate;
    at::Tensor squared_norm;  ///< squared norm of the gradients, float64 [1]
    std::int64_t examples, tokens;
    std::optional<std::int64_t> left_out_pairs = {};  ///< see TrainingSeries
    Clock::time_point begin;
  };

  StepReports(TrainingObserver& observer, ParameterStore& parameters, std::int64_t total_steps, Now now)
      : observer_(observer), parameters_(parameters), total_steps_(total_steps), now_(std::move(now)) {}

  /// Keeps a step until its norm has come to the host, which a step on a CPU has at once. None may be kept already.
  void add(const Step& step, TrainingSeries& series);
  /// Waits for the norm of the step that is kept, if one is, and reports it in `series` and to the observer. Throws
  /// InputError where its loss or its gradients are not finite; of a step on a CPU with the name of its largest
  /// gradient.
  void finish(TrainingSeries& series);

 private:
  TrainingObserver& observer_;
  ParameterStore& parameters_;
  std::int64_t total_steps_;
  Now now_;
  std::optional<Step> kept_;
  std::optional<ops::HostCopy> norm_;  ///< the squared norm of the step that is kept
  Clock::time_point told_;             ///< time of the last report
};

}  // namespace gausscse
