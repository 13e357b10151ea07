#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/optimizer_steps.hpp"
#include "training/optimizer.hpp"

namespace gausscse {
namespace {

/// Also compiled for a pretended GPU.
class GpuOptimizer : public testing::Test {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_GPU(); }
};

TEST_F(GpuOptimizer, StepsAsOnTheCpu) {
  for (const bool all : {true, false}) {
    for (const double clip_norm : {0.0, 3.0}) {
      // With the head's own rate from the layer norm of "c" on; parameters before the weight of "b" are held.
      for (const std::size_t held : {0, 5}) {
        SCOPED_TRACE(testing::Message() << all << " " << clip_norm << " " << held);
        const ParameterStore layers(layered_parameters(), at::kFloat);
        const OptimizerSettings settings{.weight_decay = 0.2,
                                         .decay_biases_and_norms = all,
                                         .clip_norm = clip_norm,
                                         .head_factor = held > 0 ? 3.0 : 1.0,
                                         .head = layers.offset(layers.index_of("c.LayerNorm.weight"))};
        const OptimizerOutcome expected = after_three_steps(at::kCPU, settings, held);
        const OptimizerOutcome found = after_three_steps(gpu, settings, held);
        EXPECT_LE((found.values - expected.values).abs().max().item<double>(), 1e-6);
        for (std::size_t i = 0; i < expected.norms.size(); ++i) {
          EXPECT_GT(expected.norms[i], 3) << "it is clipped";
          EXPECT_NEAR(found.norms[i], expected.norms[i], 1e-12 * expected.norms[i]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gausscse
