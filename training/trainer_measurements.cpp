#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "training/trainer.hpp"

namespace gausscse {

namespace {

bool any_task(const ListedTask&) {
  return true;
}

}  // namespace

bool Trainer::is_due(const ListedTask& task) const {
  return task.eval_every > 0 && done_ % task.eval_every == 0;
}

bool Trainer::has_lost_patience() const {
  const Trial::Select& select = settings_.select;
  if (select.patience == 0 || best_step_ < 0) return false;
  const auto task = std::find_if(parts_.tasks.begin(), parts_.tasks.end(),
                                 [&](const ListedTask& each) { return each.task->name() == select.task; });
  return task != parts_.tasks.end() && is_due(*task) &&
         done_ / task->eval_every - std::max(best_step_, settings_.patience_from) / task->eval_every >= select.patience;
}

std::vector<StateResult> Trainer::kept_states(StateResult last) {
  if (!selects()) return {std::move(last)};
  if (best_step_ == 0)
    parts_.observer.on_warning(concat(
        "the best state is the untrained one: none of the ", done_, " steps gave a higher ", settings_.select.metric,
        " of ", settings_.select.task,
        " than there was before the first; train longer, try another training.learning_rate, or leave select out"));
  StateResult best{"best", best_step_, {}};
  if (best_step_ == done_) {
    best.tasks = last.tasks;
  } else {
    set_values(best_values_);
    best.tasks = measure(any_task);
  }
  return {std::move(best), std::move(last)};
}

std::vector<Measurement> Trainer::measure(const std::function<bool(const ListedTask&)>& is_measured) {
  // A GPU's memory goes to LibTorch's allocator, which has it ready for the next step. On CPUs, where fresh pages are
  // expensive, evaluations take little.
  if (!parts_.encoder.settings().device.is_cpu()) training_step_.release_activations();
  return measure_tasks(parts_.tasks, is_measured, parts_.encoder, parts_.communicator);
}

void Trainer::measure_due(RunResult& result) {
  const auto is_due = [&](const ListedTask& task) { return this->is_due(task); };
  if (std::none_of(parts_.tasks.begin(), parts_.tasks.end(), is_due)) return;
  reports_.finish(result.training);
  const std::vector<Measurement> measured = measure(is_due);
  take_measurements(measured, is_due, result);
  keep_early(measured);
}

std::string Trainer::name_of_state() const {
  return done_ == 0 ? "untrained" : concat("step_", done_);
}

void Trainer::forget_measurements(TrainingState& state) const {
  std::erase_if(state.early, [&](const StateResult& early) { return early.state == name_of_state(); });
  for (Curve& curve : state.curves) {
    if (curve.step.empty() || curve.step.back() != done_) continue;
    curve.step.pop_back();
    for (Curve::Line& line : curve.lines) line.values.pop_back();
  }
  std::erase_if(state.curves, [](const Curve& curve) { return curve.step.empty(); });
}

void Trainer::keep_early(const std::vector<Measurement>& measurements) {
  StateResult state{name_of_state(), done_, {}};
  for (const ListedTask& task : parts_.tasks) {
    const bool kept = done_ == 0 ? task.keep_untrained : task.keep_at == done_;
    if (const Measurement* measurement = find_measurement(measurements, task.task->name()); measurement && kept)
      state.tasks.push_back(*measurement);
  }
  if (!state.tasks.empty()) early_.push_back(std::move(state));
}

void Trainer::take_measurements(const std::vector<Measurement>& measurements,
                                const std::function<bool(const ListedTask&)>& measured, RunResult& result) {
  const bool selecting = std::any_of(parts_.tasks.begin(), parts_.tasks.end(), [&](const ListedTask& task) {
    return task.task->name() == settings_.select.task && measured(task);
  });
  // No branch may depend on a metric that a rank computed for itself: ranks would part.
  const bool best = selecting && done_ >= settings_.select.from_step && agree_on_best(measurements);
  if (best) {
    best_step_ = done_;
    const at::Tensor& values = parts_.encoder.parameters().values();
    if (best_values_.defined())
      best_values_.copy_(values);
    else
      best_values_ = values.clone();
  }
  for (const ListedTask& task : parts_.tasks) {
    const Measurement* measurement = find_measurement(measurements, task.task->name());
    if (task.eval_every == 0 || !measurement || !measured(task)) continue;
    add_to_curves(*measurement, done_, result.curves);
    const bool selects = measurement->task == settings_.select.task;
    parts_.observer.on_measurement(done_, *measurement,
                                   selects ? find_metric(measurement->metrics, settings_.select.metric) : nullptr,
                                   selects && best);
  }
}

bool Trainer::agree_on_best(const std::vector<Measurement>& measurements) {
  bool better = false;
  double metric = best_metric_;
  run_on_root(parts_.communicator, [&] {
    metric = metric_of(*find_measurement(measurements, settings_.select.task), settings_.select.metric);
    if (std::isnan(metric))
      throw InputError(concat("the metric to select by, ", settings_.select.metric, " of ", settings_.select.task,
                              ", is not a number: select by another"));
    better = best_step_ < 0 || metric > best_metric_;
  });
  std::vector<double> verdict{better ? 1.0 : 0.0, metric};
  broadcast_numbers(verdict, parts_.communicator);
  if (verdict[0] == 0.0) return false;
  best_metric_ = verdict[1];
  return true;
}

}  // namespace gausscse
