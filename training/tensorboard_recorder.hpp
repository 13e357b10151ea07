#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "results/event_file.hpp"
#include "training/forwarding_observer.hpp"

namespace gausscse {

/// Returns the number of steps between two points: 1, or more where a training of `total_steps` would have over a
/// thousand.
std::int64_t steps_between_points(std::int64_t total_steps);

/// Writer of a training's curves to an event file of TensorBoard. A point at step N is of the state after N steps:
///
///  - `training/loss`, `training/gradient_norm`, `training/examples_per_second`: means over the steps since the last
///    point;
///  - `training/learning_rate`: that of step N;
///  - `<task>/<metric>` of every measurement while training.
///
/// A training that resumes writes another file with the points that an undisturbed one has from there on, and those of
/// the earlier file from there on disappear. A point that cannot be written is lost, with one warning for all of them.
class TensorboardRecorder : public ForwardingObserver {
 public:
  /// Function that returns the time in seconds since 1970.
  using Now = std::function<double()>;

  /// Makes a recorder. `folder` is for rank 0, empty elsewhere and where no curves are asked for: nothing is written
  /// then. The file is made with the first point.
  TensorboardRecorder(TrainingObserver& observer, std::filesystem::path folder);
  TensorboardRecorder(TrainingObserver& observer, std::filesystem::path folder, Now now);

  void on_resumed(const RunResult& result, std::int64_t total_steps) override;
  void on_step(const StepReport& report) override;
  void on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting, bool best) override;

 private:
  /// Sums over the steps since the last point.
  struct Sums {
    double steps = 0, loss = 0, gradient_norm = 0, examples_per_second = 0;
  };

  /// Adds a step to the next point, and writes that where it is due.
  void add(const StepReport& report);
  void write(std::int64_t step, std::span<const NamedScalar> scalars);

  std::filesystem::path folder_;
  Now now_;
  std::optional<EventFile> file_;
  std::int64_t first_step_ = 0;  ///< steps that were done before this process began
  Sums since_;
  bool warned_ = false;
};

}  // namespace gausscse
