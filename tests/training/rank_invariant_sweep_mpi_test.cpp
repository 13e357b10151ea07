#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include "dist/communicator.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/example_reader.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t virtual_shards = 8;
constexpr std::uint32_t most_tokens = 12;

SentenceEncoderSettings wide_settings(Precision precision) {
  auto settings = settings_of_minilms_widths(precision);
  settings.fixed_tiles = true;
  return settings;
}

struct StepOutcome {
  double loss;
  at::Tensor gradients;
};

/// Sweeps batch sizes; rank 0 also computes the whole step by itself, with one thread.
class RankInvariantSweep : public testing::TestWithParam<std::tuple<Precision, std::int64_t>> {
 protected:
  RankInvariantSweep() : encoder_(wide_settings(std::get<0>(GetParam()))) {
    randomize(encoder_.parameters(), 1);
    encoder_.parameters().values().mul_(0.1);
    encoder_.parameters_changed();
  }

  StepOutcome step(Communicator& communicator, int threads) {
    const std::int64_t batch = std::get<1>(GetParam());
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const RandomSentences sentences = random_sentences(static_cast<std::size_t>(3 * batch), 7, most_tokens);
    TrainingStep step(encoder_, objective_, communicator,
                      {.seed = 3, .dropout = true, .micro_batch = 0, .virtual_shards = virtual_shards});
    const auto result = run_step(step, 5, shares_of_shards(batch, virtual_shards, communicator.size()),
                                 example_reader(sentences, batch));
    at::set_num_threads(before);
    return {result.loss, encoder_.parameters().gradients().clone()};
  }

  StepOutcome step_of_rank_0(Communicator& ranks) {
    StepOutcome outcome{0, at::zeros_like(encoder_.parameters().gradients())};
    if (ranks.is_root()) outcome = step(*make_self_communicator(), 1);
    ranks.broadcast_numbers({&outcome.loss, 1});
    ranks.broadcast(outcome.gradients, 0);
    return outcome;
  }

 private:
  SentenceEncoder encoder_;
  const ConfiguredObjective objective_{ObjectiveSettings{}};
};

TEST_P(RankInvariantSweep, StepHasTheSameBitsForAnyRanksAndThreads) {
  const auto ranks = make_mpi_communicator();
  const StepOutcome expected = step_of_rank_0(*ranks);
  EXPECT_GT(expected.gradients.abs().max().item<double>(), 0);
  // Threads that wait for each other on too few cores take long.
  const std::vector<std::vector<int>> threads_of_size{{2, 3, 4}, {2}, {1}};
  for (const int threads : threads_of_size.at(static_cast<std::size_t>(ranks->size() - 1))) {
    const StepOutcome here = step(*ranks, threads);
    EXPECT_EQ(here.loss, expected.loss) << threads << " threads";
    EXPECT_TRUE(here.gradients.equal(expected.gradients)) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RankInvariantSweep,
                         testing::Combine(testing::Values(Precision::full, Precision::bfloat16),
                                          testing::Values(8, 16, 24, 32, 48, 64)));

}  // namespace
}  // namespace gausscse
