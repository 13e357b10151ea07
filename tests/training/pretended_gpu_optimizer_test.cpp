#include <ATen/core/Tensor.h>

#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/optimizer_steps.hpp"
#include "training/optimizer.hpp"

namespace gausscse {
namespace {

const at::Device gpu(at::kCUDA, 0);

/// With the CPU's kernels, so that bits are the same.
TEST(PretendedGpuOptimizer, StepsAsOnTheCpu) {
  for (const bool all : {true, false}) {
    const OptimizerSettings settings{.weight_decay = 0.2, .decay_biases_and_norms = all};
    const at::Tensor expected = after_three_steps(at::kCPU, settings).values;
    EXPECT_TRUE(after_three_steps(gpu, settings).values.equal(expected)) << all;
  }
}

/// The runs that decay are copied to the GPU before.
TEST(PretendedGpuOptimizer, AStepIsOneKernelAndNoCopy) {
  for (const bool all : {true, false}) {
    ParameterStore parameters(layered_parameters(), at::TensorOptions(gpu).dtype(at::kFloat));
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

TEST(PretendedGpuOptimizer, AnotherRateForTheHeadIsAnotherKernel) {
  ParameterStore parameters(layered_parameters(), at::TensorOptions(gpu).dtype(at::kFloat));
  parameters.hold_before(parameters.offset(2));
  parameters.gradients().zero_();
  Optimizer optimizer(parameters, {.head_factor = 2, .head = parameters.offset(7)});
  const pretended_gpu::Counts before = pretended_gpu::counts();
  optimizer.step(0.1);
  const pretended_gpu::Counts after = pretended_gpu::counts();
  EXPECT_EQ(after.kernels, before.kernels + 2);
  EXPECT_EQ(after.copies_to_gpu, before.copies_to_gpu);
}

}  // namespace
}  // namespace gausscse
