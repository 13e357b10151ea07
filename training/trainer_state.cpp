#include <c10/core/DeviceType.h>

#include <exception>

#include "base/error.hpp"
#include "model/ops/device_memory.hpp"
#include "training/memory_refused.hpp"
#include "training/trainer.hpp"

namespace gausscse {

void Trainer::restore(const TrainingState& state, RunResult& result) {
  done_ = state.step;
  set_values(state.values);
  optimizer_.restore(state.step, state.moment1, state.moment2);
  best_step_ = state.best_step;
  best_figure_ = state.best_figure;
  if (best_step_ >= 0)
    best_values_ = state.best_values.to(parts_.encoder.parameters().values().device(), false, /*copy=*/true);
  early_ = state.early;
  result.training = state.training;
  result.curves = state.curves;
  result.states = state.early;
}

TrainingState Trainer::state(const RunResult& result) const {
  return {.configuration = {},
          .device = c10::DeviceTypeName(parts_.encoder.settings().device.type(), /*lower_case=*/true),
          .step = done_,
          .values = parts_.encoder.parameters().values(),
          .moment1 = optimizer_.moment1(),
          .moment2 = optimizer_.moment2(),
          .best_step = best_step_,
          .best_figure = best_figure_,
          .best_values = best_values_,
          .training = result.training,
          .curves = result.curves,
          .early = early_};
}

void Trainer::run(RunResult& result) {
  try {
    train_and_measure(result);
  } catch (const std::exception& error) {
    if (!ops::is_memory_refused(error)) throw;
    std::throw_with_nested(MemoryRefused(memory()));
  }
}

void Trainer::report_memory(std::int64_t step, std::int64_t micro_batch, RunResult& result) {
  if (micro_batch == halved_micro_batch_) return;
  halved_micro_batch_ = micro_batch;
  result.halved_micro_batch = concat("to ", micro_batch, micro_batch == 1 ? " example" : " examples", " from step ",
                                     step, " on, as memory was refused");
  parts_.observer.on_warning(concat("a rank's micro-batch is halved ", result.halved_micro_batch,
                                    ": with training.micro_batch: ", micro_batch, " a run begins so"));
}

std::vector<MemoryPart> Trainer::memory() const {
  const ParameterStore& parameters = parts_.encoder.parameters();
  std::vector<MemoryPart> parts = training_step_.memory();
  parts.push_back({.what = "token ids of the next step", .bytes = prefetch_.bytes_on_device()});
  parts.push_back(
      {.what = "parameters with gradients and moments", .bytes = parameters.bytes() + optimizer_.bytes_of_moments()});
  std::int64_t of_tasks = 0;
  for (const ListedTask& task : parts_.tasks) of_tasks += task.task->bytes_kept();
  parts.push_back({.what = "token ids of tasks", .bytes = of_tasks});
  if (best_values_.defined())
    parts.push_back({.what = "parameters of the best state",
                     .bytes = static_cast<std::int64_t>(best_values_.nbytes()),
                     .advice = "keep no best state (leave select out)"});
  // On a GPU's host there is other memory.
  if (parts_.checkpoints && parameters.values().is_cpu())
    parts.push_back({.what = "copy for checkpoints", .bytes = parts_.checkpoints->bytes_of_copy()});
  return parts;
}

}  // namespace gausscse
