#include <c10/core/DeviceType.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "model/device/device_memory.hpp"
#include "training/memory_refused.hpp"
#include "training/trainer.hpp"

namespace gausscse {

void Trainer::restore(const TrainingState& state, RunResult& result) {
  done_ = state.step;
  set_values(state.values);
  optimizer_.restore(state.step, state.moment1, state.moment2);
  best_step_ = state.best_step;
  best_metric_ = state.best_metric;
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
          .best_metric = best_metric_,
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

void Trainer::fit_micro_batch(const PreparedBatch& batch, RunResult& result) {
  constexpr double used_share = 0.9;
  const auto share = batch.shares[static_cast<std::size_t>(parts_.communicator.rank())];
  const std::int64_t named = settings_.training.micro_batch, whole = named > 0 ? std::min(named, share) : share;
  // A rank without a prediction takes part in the exchange below as well, since others wait for it.
  const std::optional<StepMemory> memory = training_step_.predict_memory(batch);
  const std::int64_t available = settings_.available_memory();
  std::int64_t fitting = whole;
  if (memory && available > 0) {
    // Pages of gradients, moments and the copy for checkpoints are taken when they are first written to.
    const auto of_parameters = static_cast<std::int64_t>(parts_.encoder.parameters().trained_values().nbytes());
    const std::int64_t later = (parts_.checkpoints ? 6 : 3) * of_parameters;
    const auto room =
        static_cast<std::int64_t>(used_share * static_cast<double>(available)) / parts_.communicator.local_size() -
        later;
    const auto needed = [&](std::int64_t micro_batch) {
      return training_step_.bytes_with(micro_batch, *memory, batch.shares);
    };
    while (fitting > 1 && needed(fitting) > room) fitting = (fitting + 1) / 2;
    const std::string need =
        concat("a step with micro-batches of ", whole, " examples takes about ", (later + needed(whole)) >> 20,
               " MiB on this rank, and ", available >> 20, " MiB are available to the ",
               parts_.communicator.local_size(), " ranks of its host");
    parts_.observer.on_detail(need);
    if (needed(fitting) > room)
      parts_.observer.on_warning(
          concat(need, ": even single examples or shards do not fit, and the system may end the ",
                 "process: lower training.batch_size or training.max_tokens, or start fewer ranks"));
    else if (fitting < whole && named > 0)
      parts_.observer.on_warning(
          concat(need, ": the system may end the process: training.micro_batch: ", fitting, " fits"));
  }
  if (named > 0) return;
  std::int64_t least = 0;
  for (const std::string& text : parts_.communicator.all_gather_text(fitting < whole ? std::to_string(fitting) : "")) {
    const std::int64_t of_rank = text.empty() ? 0 : std::stoll(text);
    if (of_rank > 0 && (least == 0 || of_rank < least)) least = of_rank;
  }
  if (least == 0) return;
  training_step_.set_micro_batch(least);
  result.halved_micro_batch = concat("to ", least, least == 1 ? " example" : " examples", " from step ", batch.step,
                                     " on, as the local batch would not fit into memory");
  parts_.observer.on_warning(concat("a rank's micro-batch is halved ", result.halved_micro_batch,
                                    ": the gradients are the same but for rounding; training.micro_batch names one"));
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
