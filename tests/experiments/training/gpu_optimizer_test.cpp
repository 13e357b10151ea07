#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiments/training/optimizer.hpp"
#include "tests/experiments/training/layered_parameters.hpp"
#include "tests/support/gpu.hpp"

// Steps of the optimizer on a GPU, or on a pretended one, against those on the CPU.

namespace gausscse {
namespace {

struct Outcome {
  at::Tensor values;
  std::vector<double> norms;
};

Outcome after_three_steps(at::Device device, const OptimizerSettings& settings) {
  ParameterStore parameters(testing_support::layered_parameters(), at::TensorOptions(device).dtype(at::kFloat));
  const auto count = parameters.values().numel();
  parameters.values().copy_(at::arange(count, at::kFloat).cos());
  Optimizer optimizer(parameters, settings);
  Outcome outcome;
  for (int step = 1; step <= 3; ++step) {
    parameters.gradients().copy_(at::arange(count, at::kFloat).mul(step).sin());
    outcome.norms.push_back(std::sqrt(optimizer.squared_gradient_norm().item<double>()));
    optimizer.step(0.1);
  }
  outcome.values = parameters.values().cpu();
  return outcome;
}

class GpuOptimizer : public testing::Test {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_GPU(); }
};

TEST_F(GpuOptimizer, StepsAsOnTheCpu) {
  for (const bool all : {true, false}) {
    for (const double clip_norm : {0.0, 3.0}) {
      SCOPED_TRACE(testing::Message() << all << " " << clip_norm);
      const OptimizerSettings settings{.weight_decay = 0.2, .decay_biases_and_norms = all, .clip_norm = clip_norm};
      const Outcome expected = after_three_steps(at::kCPU, settings);
      const Outcome found = after_three_steps(testing_support::gpu, settings);
      EXPECT_LE((found.values - expected.values).abs().max().item<double>(), 1e-6);
      for (std::size_t i = 0; i < expected.norms.size(); ++i) {
        EXPECT_GT(expected.norms[i], 3) << "it is clipped";
        EXPECT_NEAR(found.norms[i], expected.norms[i], 1e-12 * expected.norms[i]);
      }
    }
  }
}

}  // namespace
}  // namespace gausscse
