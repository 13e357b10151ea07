#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include "dist/staged/collectives.hpp"
#include "tests/dist/forwarding_collectives.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/gradient_reduction.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Buckets end where held parameters do, and matmuls write over the gradients of the step before.
TEST(PretendedGpuHeldLayers, LeaveTheOtherGradientsAsTheyAre) {
  constexpr std::size_t number = 1;
  const TrainingSystem& system = training_systems()[number];
  const ConfiguredObjective objective = system.make();
  const auto& [reference, expected] = whole_step(number, true);
  SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
  settings.device = at::Device(at::kCUDA, 0);
  settings.first_trained_layer = 1;
  SentenceEncoder encoder(settings);
  ParameterStore& parameters = encoder.parameters();
  parameters.values().copy_(reference->parameters().values().to(at::kFloat));
  encoder.parameters_changed();
  const at::Tensor truth = reference->parameters().gradients().slice(0, parameters.first_trained());
  const RandomSentences sentences = sentences_of(0);
  const auto ranks = ranks_with(make_staged_collectives(make_mpi_collectives()));
  for (const std::int64_t bucket : {std::int64_t{200}, usual_bucket}) {
    TrainingStep step(encoder, objective, *ranks, {.seed = 3, .micro_batch = 3, .bucket = bucket});
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto result = run_step(step, 5, ways_to_share(ranks->size()).back(), reader_of(sentences));
      EXPECT_NEAR(result.loss, expected.loss, 1e-5);
      const at::Tensor found = parameters.gradients().cpu().to(at::kDouble);
      ASSERT_EQ(found.numel(), truth.numel());
      EXPECT_LE((found - truth).abs().max().item<double>(), 1e-5 * truth.abs().max().item<double>()) << bucket;
    }
  }
}

}  // namespace
}  // namespace gausscse
