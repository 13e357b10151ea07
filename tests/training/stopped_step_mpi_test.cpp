#include <ATen/ops/equal.h>

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"
#include "tests/training/small_batch.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Requests that a rank gets: asked to stop at one of the questions, and from then on.
class StopFrom : public NoRequests {
 public:
  explicit StopFrom(int question) : left_(question) {}
  bool stop() override {
    ++asked;
    return left_ > 0 && asked >= left_;
  }
  int asked = 0;

 private:
  int left_;
};

struct StoppedCase {
  const char* name;
  std::int64_t virtual_shards;
  CandidateExchange exchange;
};

/// One rank alone is asked to stop, between any two micro-batches of the forwards or the backwards. All ranks come to
/// the end of the step and know that it was cut off. The next one has the same bits as if nothing had happened.
TEST(StoppedStep, IsGivenUpOnAllRanks) {
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  for (const auto& [name, virtual_shards, exchange] : {StoppedCase{"gather", 0, CandidateExchange::gather},
                                                       {"ring", 0, CandidateExchange::ring},
                                                       {"shards", 8, CandidateExchange::gather}})
    for (int stopped = 0; stopped < ranks->size(); ++stopped) {
      auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
      settings.fixed_tiles = virtual_shards > 0;
      SentenceEncoder encoder(settings);
      randomize(encoder.parameters(), 1);
      const ConfiguredObjective objective({});
      TrainingStep step(encoder, objective, *ranks,
                        {.micro_batch = 1, .virtual_shards = virtual_shards, .exchange = exchange});
      const auto shares = virtual_shards > 0 ? shares_of_shards(batch_size, virtual_shards, ranks->size())
                                             : ways_to_share(ranks->size()).front();
      const auto run = [&](TrainingRequests* requests) {
        return step.run(step.prepare(0, shares, reader_of(sentences)), requests);
      };
      StopFrom none(0);
      const TrainingStep::Result whole = run(&none);
      EXPECT_TRUE(whole.is_whole);
      const at::Tensor expected = encoder.parameters().gradients().clone();
      // Each micro-batch is asked for forwards and backwards, and the step once more at its end.
      ASSERT_GT(whole.micro_batches, 1) << name;
      EXPECT_EQ(none.asked, 2 * whole.micro_batches + 1) << name;
      const int last =
          2 * std::stoi(ranks->all_gather_text(std::to_string(whole.micro_batches))[static_cast<std::size_t>(stopped)]);
      for (const int question : {1, 2, last / 2 + 1, last}) {
        SCOPED_TRACE(testing::Message() << name << ", rank " << stopped << ", question " << question);
        StopFrom requests(ranks->rank() == stopped ? question : 0);
        const TrainingStep::Result result = run(&requests);
        EXPECT_FALSE(result.is_whole);
        EXPECT_TRUE(result.requests.stop);
        EXPECT_FALSE(result.requests.checkpoint);
        if (ranks->rank() == stopped) {
          EXPECT_EQ(requests.asked, question) << "it is asked no more";
        }
        const TrainingStep::Result again = run(&none);
        EXPECT_TRUE(again.is_whole);
        EXPECT_FALSE(again.requests.stop);
        EXPECT_EQ(again.loss, whole.loss);
        EXPECT_TRUE(at::equal(encoder.parameters().gradients(), expected));
      }
      // Asked for at the end, the step is whole.
      StopFrom at_end(ranks->rank() == stopped ? last + 1 : 0);
      const TrainingStep::Result result = run(&at_end);
      EXPECT_TRUE(result.is_whole);
      EXPECT_TRUE(result.requests.stop);
      EXPECT_TRUE(at::equal(encoder.parameters().gradients(), expected));
    }
}

}  // namespace
}  // namespace gausscse
