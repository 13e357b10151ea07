#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "experiments/training/optimizer.hpp"
#include "tests/support/pretended_gpu/memory.hpp"

namespace gausscse {
namespace {

const at::Device gpu(at::kCUDA, 0);

/// Weights, biases and layer norms of sizes that are multiples of no block.
std::vector<ParameterSpec> parameters_of_layers() {
  std::vector<ParameterSpec> specs{{"LayerNorm.weight", {5}}};
  for (const char* layer : {"a", "b", "c"})
    for (const ParameterSpec& spec : {ParameterSpec{".weight", {30, 31}}, ParameterSpec{".bias", {31}},
                                      ParameterSpec{".LayerNorm.weight", {31}}, ParameterSpec{".second", {300}}})
      specs.push_back({layer + spec.name, spec.shape});
  return specs;
}

/// Three steps.
at::Tensor values_after_steps(at::Device device, const OptimizerSettings& settings) {
  ParameterStore parameters(parameters_of_layers(), at::TensorOptions(device).dtype(at::kFloat));
  const auto count = parameters.values().numel();
  parameters.values().copy_(at::arange(count, at::kFloat).cos());
  Optimizer optimizer(parameters, settings);
  for (int step = 1; step <= 3; ++step) {
    parameters.gradients().copy_(at::arange(count, at::kFloat).mul(step).sin());
    optimizer.step(0.1);
  }
  return parameters.values().cpu();
}

TEST(PretendedGpuOptimizer, StepsAsOnTheCpu) {
  for (const bool all : {true, false}) {
    const OptimizerSettings settings{.weight_decay = 0.2, .decay_biases_and_norms = all};
    EXPECT_TRUE(values_after_steps(gpu, settings).equal(values_after_steps(at::kCPU, settings))) << all;
  }
}

/// The runs that decay are copied to the GPU before.
TEST(PretendedGpuOptimizer, AStepIsOneKernelAndNoCopy) {
  for (const bool all : {true, false}) {
    ParameterStore parameters(parameters_of_layers(), at::TensorOptions(gpu).dtype(at::kFloat));
    parameters.gradients().zero_();
    const pretended_gpu::Counts at_first = pretended_gpu::counts();
    Optimizer optimizer(parameters, {.decay_biases_and_norms = all});
    const pretended_gpu::Counts before = pretended_gpu::counts();
    EXPECT_EQ(before.copies_to_gpu, at_first.copies_to_gpu + 1) << all;
    optimizer.step(0.1);
    const pretended_gpu::Counts after = pretended_gpu::counts();
    EXPECT_EQ(after.kernels, before.kernels + 1) << all;
    EXPECT_EQ(after.copies_to_gpu, before.copies_to_gpu) << all;
    EXPECT_EQ(after.waits, before.waits) << all;
  }
}

}  // namespace
}  // namespace gausscse
