#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "dist/staged/communicator.hpp"
#include "experiments/training/training_step.hpp"
#include "tests/experiments/training/small_batch.hpp"
#include "tests/experiments/training/training_systems.hpp"

namespace gausscse {
namespace {

using testing_support::batch_size;
using testing_support::reader_of;
using testing_support::sentences_of;
using testing_support::training_systems;
using testing_support::ways_to_share;

struct Case {
  std::int64_t micro_batch;
  CandidateExchange exchange;
};

class PretendedGpuTrainingStep : public testing::TestWithParam<std::tuple<Case, std::size_t>> {};

/// Each rank has a GPU of its own; embeddings, gradients of candidates and of parameters go through the host.
TEST_P(PretendedGpuTrainingStep, GivesTheGradientsOfOneCpu) {
  const auto& [how, number] = GetParam();
  const testing_support::TrainingSystem& system = training_systems()[number];
  SCOPED_TRACE(system.name);
  const auto ranks = make_staged_communicator(make_mpi_communicator());
  const auto alone = make_self_communicator();
  const testing_support::RandomSentences sentences = sentences_of(0);
  const std::unique_ptr<Objective> objective = system.make();
  const ExampleReader read = reader_of(sentences, objective->roles());
  SentenceEncoder reference(system.encoder(at::kDouble, false));
  testing_support::randomize(reference.parameters(), 1);
  const auto expected = TrainingStep(reference, *objective, *alone, {.seed = 3}).run(5, {batch_size}, read);

  SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
  settings.device = at::Device(at::kCUDA, 0);
  SentenceEncoder encoder(settings);
  encoder.parameters().values().copy_(reference.parameters().values().to(at::kFloat));
  encoder.parameters_changed();
  TrainingStep step(encoder, *objective, *ranks, {.seed = 3, .micro_batch = how.micro_batch, .exchange = how.exchange});
  for (const auto& shares : ways_to_share(ranks->size())) {
    const auto result = step.run(5, shares, read);
    EXPECT_NEAR(result.loss, expected.loss, 1e-5);
    EXPECT_EQ(result.tokens, expected.tokens);
    const at::Tensor gradients = encoder.parameters().gradients().cpu().to(at::kDouble);
    for (std::size_t i = 0; i < reference.parameters().size(); ++i) {
      const ParameterSpec& spec = reference.parameters().specs()[i];
      const at::Tensor truth = reference.parameters().gradient(spec.name).flatten();
      const double largest = truth.abs().max().item<double>();
      // The keys' bias has no gradient: softmax does not see it.
      if (largest < 1e-9) continue;
      const at::Tensor found = gradients.narrow(0, encoder.parameters().offset(i), encoder.parameters().count(i));
      EXPECT_LE((found - truth).abs().max().item<double>() / largest, 1e-5) << spec.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PretendedGpuTrainingStep,
                         testing::Combine(testing::Values(Case{0, CandidateExchange::gather},
                                                          Case{3, CandidateExchange::ring}),
                                          testing::Range<std::size_t>(0, training_systems().size())));

}  // namespace
}  // namespace gausscse
