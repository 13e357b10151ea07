#pragma once

#include <map>
#include <memory>
#include <utility>

#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "training/training_step.hpp"

namespace gausscse {

/// Step 5 of one process over the whole batch of `sentences_of(0)`, in float64 with seed 3.
struct WholeStep {
  std::unique_ptr<SentenceEncoder> encoder;  ///< its weights, and the gradients of the step
  TrainingStep::Result result = {};
};

/// Returns the step of one of `training_systems`. It is computed when it is first asked for.
inline const WholeStep& whole_step(std::size_t system_number, bool dropout) {
  static std::map<std::pair<std::size_t, bool>, WholeStep> computed;
  const auto [place, is_new] = computed.try_emplace({system_number, dropout});
  WholeStep& whole = place->second;
  if (!is_new) return whole;
  const TrainingSystem& system = training_systems()[system_number];
  const auto alone = make_self_communicator();
  const RandomSentences sentences = sentences_of(0);
  const ConfiguredObjective objective = system.make();
  whole.encoder = std::make_unique<SentenceEncoder>(system.encoder(at::kDouble, false));
  randomize(whole.encoder->parameters(), 1);
  whole.result = run_step(TrainingStep(*whole.encoder, objective, *alone, {.seed = 3, .dropout = dropout}), 5,
                          {batch_size}, reader_of(sentences, objective.roles(), system.divisor));
  return whole;
}

}  // namespace gausscse
