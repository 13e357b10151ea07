#include "data/corpus/batch_plan.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids whole_epoch(BatchPlan& plan, std::uint32_t epoch) {
  Ids ids;
  for (std::size_t step = 0; step < plan.steps_of_epoch(epoch); ++step) {
    const Ids batch = plan.batch(epoch, step);
    ids.insert(ids.end(), batch.begin(), batch.end());
  }
  return ids;
}

TEST(BatchPlan, MatchesItsDefinition) {
  const nlohmann::json plans = read_strict_json(golden("corpus/batch_plan.json"));
  ASSERT_GE(plans.size(), 6u);
  for (const auto& plan : plans) {
    BatchPlan ours(plan["triples"].get<std::size_t>(), 3, ExampleOrder::shuffled, plan["seed"].get<std::uint64_t>(),
                   false);
    EXPECT_EQ(whole_epoch(ours, plan["epoch"]), plan["order"].get<Ids>());
  }
}

TEST(BatchPlan, EveryEpochTakesEveryExampleOnce) {
  for (const std::size_t examples : {1, 2, 7, 64, 1000}) {
    for (const std::size_t batch_size : {1, 3, 64, 2000}) {
      BatchPlan plan(examples, batch_size, ExampleOrder::shuffled, 9, false);
      EXPECT_EQ(plan.steps_of_epoch(0), (examples + batch_size - 1) / batch_size);
      for (const std::uint32_t epoch : {0u, 1u, 5u}) {
        Ids ids = whole_epoch(plan, epoch);
        std::sort(ids.begin(), ids.end());
        Ids all(examples);
        std::iota(all.begin(), all.end(), 0u);
        EXPECT_EQ(ids, all);
      }
    }
  }
}

TEST(BatchPlan, DropsOrKeepsTheLastBatch) {
  BatchPlan kept(10, 4, ExampleOrder::shuffled, 1, false);
  BatchPlan dropped(10, 4, ExampleOrder::shuffled, 1, true);
  EXPECT_EQ(kept.steps_of_epoch(0), 3u);
  EXPECT_EQ(dropped.steps_of_epoch(0), 2u);
  EXPECT_EQ(kept.batch(0, 2).size(), 2u);
  EXPECT_EQ(kept.batch(0, 1), dropped.batch(0, 1));
  EXPECT_EQ(BatchPlan(8, 4, ExampleOrder::shuffled, 1, true).steps_of_epoch(0), 2u);
  EXPECT_THROW(dropped.batch(0, 2), std::logic_error);
}

TEST(BatchPlan, TakesTheOrderOfTheFilesInEveryEpoch) {
  for (const std::uint64_t seed : {0u, 9u}) {
    BatchPlan kept(10, 4, ExampleOrder::file, seed, false);
    BatchPlan dropped(10, 4, ExampleOrder::file, seed, true);
    ASSERT_EQ(kept.steps_of_epoch(0), 3u);
    ASSERT_EQ(dropped.steps_of_epoch(0), 2u);
    for (const std::uint32_t epoch : {1u, 0u}) {
      EXPECT_EQ(kept.batch(epoch, 2), (Ids{8, 9}));
      EXPECT_EQ(kept.batch(epoch, 0), (Ids{0, 1, 2, 3}));
      EXPECT_EQ(whole_epoch(kept, epoch), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
      EXPECT_EQ(whole_epoch(dropped, epoch), (Ids{0, 1, 2, 3, 4, 5, 6, 7}));
    }
    EXPECT_THROW(dropped.batch(0, 2), std::logic_error);
  }
}

TEST(BatchPlan, DoesNotDependOnWhatWasAskedBefore) {
  BatchPlan plan(100, 8, ExampleOrder::shuffled, 3, true);
  const Ids late = plan.batch(4, 7);
  plan.batch(0, 0);
  EXPECT_EQ(plan.batch(4, 7), late);
  EXPECT_EQ(BatchPlan(100, 8, ExampleOrder::shuffled, 3, true).batch(4, 7), late);
  EXPECT_NE(BatchPlan(100, 8, ExampleOrder::shuffled, 4, true).batch(4, 7), late);
  EXPECT_NE(plan.batch(5, 7), late);
}

TEST(BatchPlan, EveryOrderIsAsLikely) {
  BatchPlan plan(4, 4, ExampleOrder::shuffled, 77, true);
  std::map<Ids, int> counts;
  constexpr int epochs = 24000;
  for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) ++counts[plan.batch(epoch, 0)];
  ASSERT_EQ(counts.size(), 24u);
  double chi_squared = 0;
  for (const auto& [order, count] : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_squared, 49.7);  // the 99.9th percentile of 23 degrees of freedom
}

/// Two texts of each example, of which a few are in many examples.
std::vector<std::uint32_t> texts_of_pairs(std::uint32_t examples, std::uint32_t distinct) {
  PhiloxStream draws(6, 0);
  std::vector<std::uint32_t> texts;
  for (std::uint32_t i = 0; i < 2 * examples; ++i)
    texts.push_back(draws.below(3) == 0 ? draws.below(4) : draws.below(distinct));
  return texts;
}

/// The sampler of sentence-transformers as its code reads: a batch goes through all remaining examples in their order.
std::vector<Ids> batches_without_duplicates(Ids remaining, const std::vector<std::uint32_t>& texts,
                                            std::size_t batch_size, bool drop_last) {
  std::vector<Ids> batches;
  while (!remaining.empty()) {
    std::set<std::uint32_t> taken;
    Ids batch;
    for (const std::uint32_t example : remaining) {
      const std::set<std::uint32_t> of_example{texts[2 * example], texts[2 * example + 1]};
      if (std::any_of(of_example.begin(), of_example.end(), [&](std::uint32_t text) { return taken.count(text) > 0; }))
        continue;
      batch.push_back(example);
      if (batch.size() == batch_size) break;
      taken.insert(of_example.begin(), of_example.end());
    }
    if (batch.size() == batch_size || !drop_last) batches.push_back(batch);
    for (const std::uint32_t example : batch) remaining.erase(std::find(remaining.begin(), remaining.end(), example));
  }
  return batches;
}

TEST(BatchPlan, OfTextsHasNoTextTwiceInABatch) {
  for (const ExampleOrder order : {ExampleOrder::shuffled, ExampleOrder::file}) {
    for (const bool drop_last : {false, true}) {
      for (const auto& [examples, batch_size] : {std::pair{90u, 7u}, {90u, 1u}, {91u, 30u}}) {
        const std::vector<std::uint32_t> texts = texts_of_pairs(examples, 300);
        BatchPlan any(examples, examples, order, 3, false), plan(examples, batch_size, order, 3, drop_last, texts);
        std::size_t step_of_training = 0;
        for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
          const auto expected = batches_without_duplicates(any.batch(epoch, 0), texts, batch_size, drop_last);
          if (expected.empty()) continue;
          ASSERT_EQ(plan.steps_of_epoch(epoch), expected.size());
          for (std::size_t step = 0; step < expected.size(); ++step) {
            EXPECT_EQ(plan.batch(epoch, step), expected[step]);
            EXPECT_EQ(plan.batch_of_training(static_cast<std::int64_t>(step_of_training++)), expected[step]);
          }
          EXPECT_EQ(plan.steps_of_epochs(epoch + 1), static_cast<std::int64_t>(step_of_training));
        }
      }
    }
  }
}

TEST(BatchPlan, OfTextsDoesNotDependOnWhatWasAskedBefore) {
  const std::vector<std::uint32_t> texts = texts_of_pairs(60, 100);
  BatchPlan plan(60, 5, ExampleOrder::shuffled, 3, true, texts), other(60, 5, ExampleOrder::shuffled, 3, true, texts);
  std::vector<Ids> batches;
  for (std::int64_t step = 0; step < 20; ++step) batches.push_back(plan.batch_of_training(step));
  EXPECT_EQ(other.batch_of_training(19), batches[19]);
  EXPECT_EQ(other.batch_of_training(2), batches[2]);
}

TEST(BatchPlan, RefusesAnEpochWithoutABatch) {
  EXPECT_HAS(input_error([] {
               BatchPlan(4, 3, ExampleOrder::file, 0, true, {0, 1, 0, 2, 0, 3, 0, 4}).batch_of_training(0);
             }),
             "no 3 examples without a text in common");
}

TEST(BatchPlan, TakesOneEpochAfterAnother) {
  BatchPlan plan(10, 4, ExampleOrder::shuffled, 1, false);
  EXPECT_EQ(plan.batch_of_training(7), plan.batch(2, 1));
  EXPECT_EQ(plan.batch_of_training(2), plan.batch(0, 2));
  EXPECT_EQ(plan.steps_of_epochs(4), 12);
}

TEST(BatchPlan, RefusesImpossibleSizes) {
  EXPECT_HAS(input_error([] { BatchPlan(0, 4, ExampleOrder::shuffled, 0, true); }), "no example to train on");
  EXPECT_HAS(input_error([] { BatchPlan(4, 0, ExampleOrder::shuffled, 0, true); }), "the batch size is 0");
  EXPECT_HAS(input_error([] { BatchPlan(4, 5, ExampleOrder::shuffled, 0, true); }),
             "the batch size 5 is larger than the 4 examples");
  EXPECT_HAS(input_error([] { BatchPlan(std::size_t{1} << 32, 5, ExampleOrder::shuffled, 0, true); }),
             "can be numbered");
  EXPECT_HAS(input_error([] { BatchPlan(4, 5, ExampleOrder::file, 0, true); }), "is larger than the 4 examples");
  EXPECT_EQ(BatchPlan(4, 5, ExampleOrder::shuffled, 0, false).batch(0, 0).size(), 4u);
}

TEST(BatchShare, CoversTheBatchForAnyNumberOfRanks) {
  for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
    for (std::size_t batch_size = 0; batch_size <= 40; ++batch_size) {
      std::size_t end = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(rank, ranks, batch_size);
        EXPECT_EQ(share.begin, end);
        EXPECT_GE(share.size(), batch_size / ranks);
        EXPECT_LE(share.size(), (batch_size + ranks - 1) / ranks);
        end = share.end;
      }
      EXPECT_EQ(end, batch_size);
    }
  }
  EXPECT_EQ(share_of(0, 4, 2), (Share{0, 1}));
  EXPECT_EQ(share_of(3, 4, 2), (Share{2, 2}));
}

TEST(BatchShare, RefusesARankThatIsNotThere) {
  EXPECT_THROW(share_of(2, 2, 4), std::logic_error);
}

}  // namespace
}  // namespace gausscse
