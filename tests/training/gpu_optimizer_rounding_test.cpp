#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include "tests/support/testing.hpp"
#include "tests/training/device_of_goldens.hpp"
#include "tests/training/optimizer_steps.hpp"
#include "training/optimizer.hpp"

namespace gausscse {
namespace {

/// Each range of a rate writes its part of the copy in bfloat16; that of held parameters stays as it is.
TEST(GpuOptimizerRounding, WritesTheTrainedValues) {
  GAUSSCSE_SKIP_WITHOUT_DEVICE();
  const at::Device gpu = device_of_goldens;
  ParameterStore parameters(layered_parameters(), at::TensorOptions(gpu).dtype(at::kFloat));
  parameters.hold_before(parameters.offset(5));
  parameters.values().fill_(0.3);
  parameters.gradients().fill_(1.0);
  const std::int64_t held = parameters.first_trained();
  Optimizer optimizer(parameters, {.head_factor = 3, .head = parameters.offset(9)});
  const at::Tensor rounded = at::zeros_like(parameters.values(), at::kBFloat16);
  optimizer.step(0.1, rounded);
  const at::Tensor values = parameters.values().cpu().to(at::kBFloat16), copies = rounded.cpu();
  EXPECT_TRUE(copies.slice(0, held).equal(values.slice(0, held)));
  EXPECT_TRUE(copies.narrow(0, 0, held).eq(0).all().item<bool>());
}

}  // namespace
}  // namespace gausscse
