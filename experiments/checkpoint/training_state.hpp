#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// All that a training needs to go on as if it had not stopped.
struct TrainingState {
  /// What the training was computed with; only an equal one may go on from it.
  std::string configuration;
  std::int64_t step = 0;        ///< optimizer steps that are done
  at::Tensor values;            ///< all parameters, as the parameter store has them
  at::Tensor moment1, moment2;  ///< AdamW's
  std::int64_t best_step = -1;  ///< -1: no evaluation yet
  NliMetrics best_dev;
  at::Tensor best_values;  ///< undefined where `best_step` is -1
  TrainingSeries training;
  DevCurve dev;
};

/// Calls `field(name, vector)` for every series of a state, of a const or a mutable one.
template <typename State, typename Field>
void for_each_series(State& state, const Field& field) {
  field("training.step", state.training.step);
  field("training.loss", state.training.loss);
  field("training.learning_rate", state.training.learning_rate);
  field("training.gradient_norm", state.training.gradient_norm);
  field("training.triples_per_second", state.training.triples_per_second);
  field("training.tokens_per_second", state.training.tokens_per_second);
  field("dev.step", state.dev.step);
  field("dev.auprc", state.dev.auprc);
  field("dev.accuracy", state.dev.accuracy);
  field("dev.direction_sim", state.dev.direction_sim);
  field("dev.direction_var", state.dev.direction_var);
}

}  // namespace gausscse
