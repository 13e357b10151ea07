#include <ATen/core/Tensor.h>

#include "dist/monitored_communicator.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "training/optimizer.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

TEST(TrainingStepCollectives, DoNotGrowWithTheNumberOfMicroBatches) {
  const ConfiguredObjective objective({});
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  randomize(encoder.parameters(), 1);
  const RandomSentences sentences = sentences_of(0);
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, false);
  MonitoredCommunicator::Counts expected{};
  for (const std::int64_t micro_batch : {0, 1, 2, 5}) {
    run_step(TrainingStep(encoder, objective, ranks, {3, true, micro_batch}), 0, ways_to_share(ranks.size()).front(),
             reader_of(sentences));
    ++expected[static_cast<std::size_t>(Collective::all_gather)];
    ++expected[static_cast<std::size_t>(Collective::reduce_scatter_sum)];
    // Gradients, and the totals of the step.
    expected[static_cast<std::size_t>(Collective::all_reduce_sum)] += 2;
    EXPECT_EQ(ranks.counts(), expected) << counts_text(ranks.counts());
  }
}

/// Communicator that counts the tensors that pass between ranks around the ring, and the largest of them.
class CountsRingElements : public MonitoredCommunicator {
 public:
  CountsRingElements() : MonitoredCommunicator(make_mpi_control_group(), make_mpi_collectives(), nullptr, true) {}
  void run(const TensorCall& call) override {
    if (call.collective == Collective::ring_shift) {
      elements += call.data.numel();
      largest = std::max({largest, call.data.numel(), call.out.numel()});
    }
    MonitoredCommunicator::run(call);
  }

  std::int64_t elements = 0, largest = 0;
};

/// A rank holds the rows of one share at a time: rows go around twice, the gradient once and home.
TEST(TrainingStepCollectives, AroundTheRingNeverHoldMoreThanAShare) {
  const ConfiguredObjective objective({});
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  randomize(encoder.parameters(), 1);
  const RandomSentences sentences = sentences_of(0);
  for (const auto& shares : ways_to_share(make_mpi_communicator()->size())) {
    CountsRingElements ranks;
    run_step(TrainingStep(encoder, objective, ranks, {3, true, 0, 0, CandidateExchange::ring}), 0, shares,
             reader_of(sentences));
    const std::int64_t row = 3 * encoder.width(), size = ranks.size();
    const auto shifts = static_cast<std::size_t>(Collective::ring_shift);
    EXPECT_EQ(ranks.counts()[static_cast<std::size_t>(Collective::all_gather)], 0);
    EXPECT_EQ(ranks.counts()[static_cast<std::size_t>(Collective::reduce_scatter_sum)], 0);
    EXPECT_EQ(ranks.counts()[shifts], size == 1 ? 0 : 3 * size - 2);
    if (size == 1) continue;
    EXPECT_EQ(ranks.largest, row * *std::max_element(shares.begin(), shares.end()));
    // Of rows all but those of the next rank, twice, of gradients all.
    const std::int64_t next = shares[static_cast<std::size_t>((ranks.rank() + 1) % size)];
    EXPECT_EQ(ranks.elements, row * (3 * batch_size - 2 * next));
  }
}

TEST(TrainingStepCollectives, OfTheRankInvariantStepDoNotGrowWithShardsOrMicroBatches) {
  const ConfiguredObjective objective({});
  auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.fixed_tiles = true;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  const RandomSentences sentences = sentences_of(0);
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), nullptr, false);
  MonitoredCommunicator::Counts expected{};
  for (const std::int64_t shards : {5, 11}) {
    for (const std::int64_t micro_batch : {0, 1}) {
      run_step(TrainingStep(encoder, objective, ranks, {3, true, micro_batch, shards}), 0,
               shares_of_shards(batch_size, shards, ranks.size()), reader_of(sentences));
      // Embeddings; then the gradients by them and those of the parameters, where there is more than one rank.
      const bool sums = ranks.size() > 1;
      expected[static_cast<std::size_t>(Collective::all_gather)] += sums ? 3 : 1;
      expected[static_cast<std::size_t>(Collective::all_to_all)] += sums ? 2 : 0;
      ++expected[static_cast<std::size_t>(Collective::all_reduce_sum)];
      EXPECT_EQ(ranks.counts(), expected) << counts_text(ranks.counts());
    }
  }
}

TEST(LossCurve, IsTheSameForAnyShares) {
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  const ConfiguredObjective objective({});
  const auto settings = small_settings(EncoderConfig::Architecture::roberta, at::kFloat);
  SentenceEncoder here(settings), there(settings);
  randomize(here.parameters(), 1);
  randomize(there.parameters(), 1);
  TrainingStep step_here(here, objective, *ranks, {3, true, 2}), step_there(there, objective, *alone, {3, true, 0});
  Optimizer optimizer_here(here.parameters(), {}), optimizer_there(there.parameters(), {});
  const auto shares = ways_to_share(ranks->size());
  double first = 0, last = 0;
  for (std::int64_t step = 0; step < 12; ++step) {
    const RandomSentences sentences = sentences_of(step % 2);
    const auto a =
        run_step(step_here, step, shares[static_cast<std::size_t>(step) % shares.size()], reader_of(sentences));
    const auto b = run_step(step_there, step, {batch_size}, reader_of(sentences));
    EXPECT_NEAR(a.loss, b.loss, 2e-4 * b.loss) << "step " << step;
    optimizer_here.squared_gradient_norm();
    optimizer_here.step(1e-3);
    optimizer_there.squared_gradient_norm();
    optimizer_there.step(1e-3);
    here.parameters_changed();
    there.parameters_changed();
    if (step == 0) first = a.loss;
    last = a.loss;
  }
  EXPECT_LT(last, first) << "twelve steps on two batches learn something";
}

}  // namespace
}  // namespace gausscse
