#include <exception>

#include "training/memory_refused.hpp"
#include "training/trainer.hpp"

namespace gausscse {

void Trainer::run(RunResult& result) {
  try {
    train_and_measure(result);
  } catch (const std::exception& error) {
    if (!is_memory_refused(error)) throw;
    std::throw_with_nested(MemoryRefused(memory()));
  }
}

std::vector<MemoryPart> Trainer::memory() const {
  const ParameterStore& parameters = parts_.encoder.parameters();
  std::vector<MemoryPart> parts = training_step_.memory();
  parts.push_back({.what = "token ids of the next step", .bytes = prefetch_.bytes_on_device()});
  parts.push_back(
      {.what = "parameters with gradients and moments", .bytes = parameters.bytes() + optimizer_.bytes_of_moments()});
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
