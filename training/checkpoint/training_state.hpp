#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "results/run_result.hpp"

namespace gausscse {

/// All that a training needs to go on as if it had not stopped.
struct TrainingState {
  /// Configuration of the training; only a training with an equal one may go on from the state.
  std::string configuration;
  /// Resolved trial of the training, as YAML, with the paths that it read. Empty in checkpoints of versions that did
  /// not keep it, and on ranks that did not read one.
  std::string trial = {};
  /// Device that computed the last steps: "cpu" or "cuda". Empty in checkpoints of versions that did not note it, and
  /// on ranks that did not read one.
  std::string device = {};
  std::int64_t step = 0;        ///< optimizer steps that are done
  at::Tensor values;            ///< all parameters, as the parameter store has them
  at::Tensor moment1, moment2;  ///< AdamW's, of the trained parameters
  std::int64_t best_step = -1;  ///< -1: none was selected yet
  double best_metric = 0;       ///< the metric that selected it
  at::Tensor best_values;       ///< undefined where `best_step` is -1
  TrainingSeries training;
  std::vector<Curve> curves;
  /// Measurements that are kept of the state before the first step, and of those after some steps
  std::vector<StateResult> early;
};

/// Calls `field(name, tensor)` for every tensor of a state; `best_step` must be set.
template <typename State, typename Field>
void for_each_tensor(State& state, const Field& field) {
  field("values", state.values);
  field("moment1", state.moment1);
  field("moment2", state.moment2);
  if (state.best_step >= 0) field("best_values", state.best_values);
}

/// Calls `field(number)` for every single number of a state.
template <typename State, typename Field>
void for_each_number(State& state, const Field& field) {
  field(state.step);
  field(state.best_step);
  field(state.best_metric);
}

/// Returns a state's numbers; integers below 2^53 stay exact.
std::vector<double> numbers_of(const TrainingState& state);
/// Returns true for the reverse. False where `numbers` are not as many as a state has.
bool set_numbers(TrainingState& state, const std::vector<double>& numbers);

/// Calls `field(name, vector)` for every series of a state, of a const or a mutable one.
template <typename State, typename Field>
void for_each_series(State& state, const Field& field) {
  for_each_column(state.training, [&](const std::string& name, auto& values) { field("training." + name, values); });
}

/// Curves as a text that names them, and their values: of each curve, steps and then lines, one after another.
struct FlatCurves {
  std::string header;
  std::vector<double> values;
};

FlatCurves flat_curves(const std::vector<Curve>& curves);
/// Throws nlohmann::json::exception or InputError where the header is none, or of other values.
std::vector<Curve> curves_of(const FlatCurves& flat);

}  // namespace gausscse
