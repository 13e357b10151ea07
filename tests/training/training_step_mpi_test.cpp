#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/optimizer.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

struct Case {
  at::ScalarType type;
  std::int64_t micro_batch;
  bool dropout;
  std::int64_t virtual_shards = 0;
  CandidateExchange exchange = CandidateExchange::gather;
};

class TrainingStepTest : public testing::TestWithParam<std::tuple<Case, std::size_t>> {};

TEST_P(TrainingStepTest, GradientsAreThoseOfOneProcess) {
  const auto& [how, number] = GetParam();
  const TrainingSystem& system = training_systems()[number];
  SCOPED_TRACE(system.name);
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  const ConfiguredObjective objective = system.make();
  const ExampleReader read = reader_of(sentences, objective.roles(), system.divisor);
  const auto& [reference, expected] = whole_step(number, how.dropout);
  SentenceEncoder encoder(system.encoder(how.type, how.virtual_shards > 0));
  randomize(encoder.parameters(), 1);
  TrainingStep step(encoder, objective, *ranks, {3, how.dropout, how.micro_batch, how.virtual_shards, how.exchange});
  const bool wide = how.type == at::kDouble;
  const auto all_shares =
      how.virtual_shards > 0
          ? std::vector<std::vector<std::int64_t>>{shares_of_shards(batch_size, how.virtual_shards, ranks->size())}
          : ways_to_share(ranks->size());
  for (const auto& shares : all_shares) {
    const auto result = run_step(step, 5, shares, read);
    EXPECT_NEAR(result.loss, expected.loss, (wide ? 1e-11 : 1e-5));
    EXPECT_EQ(result.tokens, expected.tokens);
    for (const ParameterSpec& spec : encoder.parameters().specs()) {
      const at::Tensor truth = reference->parameters().gradient(spec.name);
      const double largest = truth.abs().max().item<double>();
      const double error =
          (encoder.parameters().gradient(spec.name).to(at::kDouble) - truth).abs().max().item<double>();
      // The keys' bias has no gradient: softmax does not see it.
      if (largest < 1e-9) continue;
      EXPECT_LE(error / largest, wide ? 1e-10 : 5e-6 * system.cancellation) << spec.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TrainingStepTest,
                         testing::Combine(testing::Values(Case{at::kDouble, 0, false}, Case{at::kDouble, 2, true},
                                                          Case{at::kFloat, 0, false}, Case{at::kFloat, 3, true},
                                                          Case{at::kDouble, 1, true, 5}, Case{at::kFloat, 0, true, 3},
                                                          Case{at::kDouble, 0, false, 16},
                                                          Case{at::kDouble, 0, true, 0, CandidateExchange::ring},
                                                          Case{at::kDouble, 2, true, 0, CandidateExchange::ring},
                                                          Case{at::kFloat, 3, false, 0, CandidateExchange::ring}),
                                          testing::Range<std::size_t>(0, training_systems().size())));

/// Losses of a training's steps, float64, and the weights after them.
struct Trained {
  at::Tensor losses, weights;
};

/// Trains four steps with dropout.
Trained train_rank_invariantly(Communicator& communicator, const TrainingSystem& system, int threads,
                               std::int64_t micro_batch) {
  const ConfiguredObjective objective = system.make();
  SentenceEncoder encoder(system.encoder(at::kFloat, true));
  randomize(encoder.parameters(), 1);
  constexpr std::int64_t shards = 5;
  TrainingStep step(encoder, objective, communicator,
                    {.seed = 3, .dropout = true, .micro_batch = micro_batch, .virtual_shards = shards});
  Optimizer optimizer(encoder.parameters(), {});
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  std::vector<double> losses;
  for (std::int64_t number = 0; number < 4; ++number) {
    const RandomSentences sentences = sentences_of(number);
    losses.push_back(run_step(step, number, shares_of_shards(batch_size, shards, communicator.size()),
                              reader_of(sentences, objective.roles(), system.divisor))
                         .loss);
    optimizer.squared_gradient_norm();
    optimizer.step(1e-3);
    encoder.parameters_changed();
  }
  at::set_num_threads(before);
  return {at::tensor(losses, at::kDouble), encoder.parameters().values().clone()};
}

/// Trains each system in one process. The ranks divide the systems among them, and exchange the results.
std::vector<Trained> train_alone(Communicator& ranks) {
  const auto alone = make_self_communicator();
  const auto computing_rank = [&](std::size_t system) { return static_cast<int>(system) % ranks.size(); };
  std::vector<Trained> all;
  for (const TrainingSystem& system : training_systems()) {
    if (computing_rank(all.size()) == ranks.rank()) {
      all.push_back(train_rank_invariantly(*alone, system, 1, 0));
    } else {
      const SentenceEncoder encoder(system.encoder(at::kFloat, true));
      all.push_back({at::zeros({4}, at::kDouble), at::zeros_like(encoder.parameters().values())});
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    ranks.broadcast(all[i].losses, computing_rank(i));
    ranks.broadcast(all[i].weights, computing_rank(i));
  }
  return all;
}

TEST(RankInvariant, HasTheSameBitsForAnyRanksThreadsAndMicroBatches) {
  const auto ranks = make_mpi_communicator();
  const std::vector<Trained> expected = train_alone(*ranks);
  for (std::size_t number = 0; number < expected.size(); ++number) {
    const TrainingSystem& system = training_systems()[number];
    SCOPED_TRACE(system.name);
    const bool all = system.objective.loss == Loss::ent_con_rev && system.head.kind == HeadKind::gaussian;
    for (const int threads : all ? std::vector<int>{1, 2, 3} : std::vector<int>{3}) {
      for (const std::int64_t micro_batch : all ? std::vector<std::int64_t>{0, 1, 6} : std::vector<std::int64_t>{1}) {
        const Trained here = train_rank_invariantly(*ranks, system, threads, micro_batch);
        EXPECT_TRUE(here.losses.equal(expected[number].losses)) << threads << "\n" << here.losses;
        EXPECT_TRUE(here.weights.equal(expected[number].weights)) << threads;
      }
    }
  }
}

}  // namespace
}  // namespace gausscse
