#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "dist/staged/collectives.hpp"
#include "tests/dist/forwarding_collectives.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Each request of the last rank for memory of its GPU is refused once, while the other ranks wait for it. So are those
/// behind the first sums of gradients, which cannot be taken back.
TEST(PretendedGpuGradients, AreThoseOfAStepThatMemoryIsRefusedTo) {
  const TrainingSystem& system = training_systems()[1];
  const ConfiguredObjective objective = system.make();
  SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
  settings.device = at::Device(at::kCUDA, 0);
  const auto& [reference, expected] = whole_step(1, true);
  const RandomSentences sentences = sentences_of(0);
  const auto ranks = ranks_with(make_staged_collectives(make_mpi_collectives()));
  const std::vector<std::int64_t> shares = ways_to_share(ranks->size()).front();
  const bool is_refused = ranks->rank() + 1 == ranks->size();
  std::int64_t refusals = 0;
  for (std::int64_t request = 1;; ++request) {
    SCOPED_TRACE(request);
    SentenceEncoder encoder(settings);
    encoder.parameters().values().copy_(reference->parameters().values().to(at::kFloat));
    encoder.parameters_changed();
    TrainingStep step(encoder, objective, *ranks, {.seed = 3, .bucket = 1});
    const PreparedBatch batch = step.prepare(5, shares, reader_of(sentences));
    const std::int64_t emptied = pretended_gpu::counts().emptied_caches;
    pretended_gpu::refuse_request(is_refused ? request : 0);
    const TrainingStep::Result result = step.run(batch);
    const bool was_refused_here = is_refused && pretended_gpu::requests() >= request;
    pretended_gpu::refuse_request(0);
    at::Tensor refused = at::full({1}, was_refused_here ? 1.0 : 0.0);
    ranks->all_reduce_sum(refused);
    const bool was_refused = refused.item<double>() > 0;
    EXPECT_NEAR(result.loss, expected.loss, 1e-5);
    EXPECT_EQ(result.tokens, expected.tokens);
    EXPECT_EQ(result.halved_micro_batch > 0, was_refused);
    EXPECT_EQ(pretended_gpu::counts().emptied_caches - emptied, was_refused_here ? 1 : 0);
    const at::Tensor truth = reference->parameters().gradients();
    const at::Tensor found = encoder.parameters().gradients().cpu().to(at::kDouble);
    EXPECT_LE((found - truth).abs().max().item<double>() / truth.abs().max().item<double>(), 1e-5);
    if (!was_refused) break;
    ++refusals;
  }
  EXPECT_GT(refusals, 50);
}

}  // namespace
}  // namespace gausscse
