#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <cmath>
#include <vector>

#include "model/batch/parameter_store.hpp"
#include "training/optimizer.hpp"

namespace gausscse {

/// Weights, biases and layer norms of sizes that are multiples of no block.
inline std::vector<ParameterSpec> layered_parameters() {
  std::vector<ParameterSpec> specs{{"LayerNorm.weight", {5}}};
  for (const char* layer : {"a", "b", "c"})
    for (const ParameterSpec& spec : {ParameterSpec{".weight", {30, 31}}, ParameterSpec{".bias", {31}},
                                      ParameterSpec{".LayerNorm.weight", {31}}, ParameterSpec{".second", {300}}})
      specs.push_back({layer + spec.name, spec.shape});
  return specs;
}

/// Values after some steps, and the norm of the gradients of each.
struct OptimizerOutcome {
  at::Tensor values;
  std::vector<double> norms;
};

/// Returns the outcome with the first `held` parameters held. The gradients of a step are many times as large as a norm
/// of 3.
inline OptimizerOutcome after_three_steps(at::Device device, const OptimizerSettings& settings, std::size_t held = 0) {
  ParameterStore parameters(layered_parameters(), at::TensorOptions(device).dtype(at::kFloat));
  parameters.hold_before(parameters.offset(held));
  const auto count = parameters.values().numel(), trained = count - parameters.first_trained();
  parameters.values().copy_(at::arange(count, at::kFloat).cos());
  Optimizer optimizer(parameters, settings);
  OptimizerOutcome outcome;
  for (int step = 1; step <= 3; ++step) {
    parameters.gradients().copy_(at::arange(trained, at::kFloat).mul(step).sin());
    outcome.norms.push_back(std::sqrt(optimizer.squared_gradient_norm().item<double>()));
    optimizer.step(0.1);
  }
  outcome.values = parameters.values().cpu();
  return outcome;
}

}  // namespace gausscse
