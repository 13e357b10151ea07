#include "training/tensorboard_recorder.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// As many points as TensorBoard draws of a curve.
constexpr std::int64_t most_points = 1000;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::int64_t steps_between_points(std::int64_t total_steps) {
  return total_steps <= most_points ? 1 : (total_steps - 1) / most_points + 1;
}

TensorboardRecorder::TensorboardRecorder(TrainingObserver& observer, std::filesystem::path folder)
    : TensorboardRecorder(observer, std::move(folder), seconds_since_1970) {}

TensorboardRecorder::TensorboardRecorder(TrainingObserver& observer, std::filesystem::path folder, Now now)
    : ForwardingObserver(observer), folder_(std::move(folder)), now_(std::move(now)) {}

void TensorboardRecorder::on_resumed(const RunResult& result, std::int64_t total_steps) {
  ForwardingObserver::on_resumed(result, total_steps);
  const TrainingSeries& done = result.training;
  if (done.step.empty()) return;
  first_step_ = done.step.back() + 1;
  // The steps of the point that is due next, or of the one at the last step, which the earlier file loses.
  const std::int64_t distance = steps_between_points(total_steps);
  const std::int64_t begin = done.step.back() / distance * distance;
  for (std::size_t i = 0; i < done.step.size(); ++i)
    if (done.step[i] >= begin)
      add({.step = done.step[i],
           .total_steps = total_steps,
           .loss = done.loss[i],
           .learning_rate = done.learning_rate[i],
           .gradient_norm = done.gradient_norm[i],
           .examples_per_second = done.examples_per_second[i]});
}

void TensorboardRecorder::on_step(const StepReport& report) {
  ForwardingObserver::on_step(report);
  add(report);
}

void TensorboardRecorder::add(const StepReport& report) {
  since_.steps += 1;
  since_.loss += report.loss;
  since_.gradient_norm += report.gradient_norm;
  since_.examples_per_second += report.examples_per_second;
  const std::int64_t done = report.step + 1;
  if (done % steps_between_points(report.total_steps) != 0 && done != report.total_steps) return;
  write(done, std::vector<NamedScalar>{{"training/loss", since_.loss / since_.steps},
                                       {"training/learning_rate", report.learning_rate},
                                       {"training/gradient_norm", since_.gradient_norm / since_.steps},
                                       {"training/examples_per_second", since_.examples_per_second / since_.steps}});
  since_ = {};
}

void TensorboardRecorder::on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting,
                                         bool best) {
  ForwardingObserver::on_measurement(step, measurement, selecting, best);
  std::vector<NamedScalar> scalars;
  for (const Metric& metric : measurement.metrics)
    scalars.push_back({concat(measurement.task, "/", metric.name), metric.value});
  write(step, scalars);
}

void TensorboardRecorder::write(std::int64_t step, std::span<const NamedScalar> scalars) {
  if (folder_.empty()) return;
  try {
    if (!file_) {
      file_.emplace(folder_, first_step_, now_());
      observer_.on_note("curves for TensorBoard are written to " + folder_.string());
    }
    file_->add(step, now_(), scalars);
  } catch (const WriteError& error) {
    if (!warned_) observer_.on_warning(concat("curves for TensorBoard are lost: ", error.what()));
    warned_ = true;
  }
}

}  // namespace gausscse
