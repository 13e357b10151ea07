#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/tables/make_table.hpp"
#include "experiments/tables/pairing.hpp"
#include "tests/experiments/tables/compared_losses.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Trials = std::vector<StudyTrial>;

/// Returns trials of these seeds, each with its own items.
Trials trials_of(const TemporaryFolder& folder, const char* loss, const std::vector<std::int64_t>& seeds,
                 const std::vector<std::string>& right) {
  Trials trials;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    trials.push_back(trial_with_items(folder.path(), {{"loss", loss}}, seeds[i], right[i]));
  return trials;
}

std::string pairs_of(const Trials& first, const Trials& second) {
  std::vector<const StudyTrial*> of_first, of_second;
  for (const StudyTrial& trial : first) of_first.push_back(&trial);
  for (const StudyTrial& trial : second) of_second.push_back(&trial);
  const Pairing pairing = pair_by_seed(of_first, of_second);
  std::string text = pairing.obstacle;
  for (const Pairing::Pair& pair : pairing.pairs)
    text += concat(pair.first->planned.seed, "-", pair.second->planned.seed, pair.seed ? " " : "? ");
  return text;
}

TEST(Pairing, OfNamedTrialsIsBySeed) {
  const auto seeds = [](const std::vector<std::int64_t>& all) {
    Trials trials;
    for (const std::int64_t seed : all) trials.push_back(done_trial({}, seed, {}));
    return trials;
  };
  EXPECT_EQ(pairs_of(seeds({2, 0, 1}), seeds({0, 2})), "2-2 0-0 ");
  EXPECT_EQ(pairs_of(seeds({3}), seeds({3})), "3-3 ");
  EXPECT_EQ(pairs_of(seeds({3}), seeds({4})), "3-4? ") << "two results that were named";
  EXPECT_EQ(pairs_of(seeds({-1}), seeds({-1})), "-1--1? ") << "named, and of no seed";
  EXPECT_EQ(pairs_of(seeds({-1}), seeds({-1, 0})), "there is no seed in common") << "two seeds that are not known";
  EXPECT_EQ(pairs_of(seeds({0, 1}), seeds({2})), "there is no seed in common");
  for (const auto& [a, b] : {std::pair(seeds({0, 1}), seeds({1, 0, 1})), std::pair(seeds({1, 1, 0}), seeds({1}))})
    EXPECT_EQ(pairs_of(a, b), "the seed 1 is there several times; name more labels");
}

TEST(TwoRows, AreTestedAsBLessA) {
  const TemporaryFolder folder;
  const Trials a = trials_of(folder, "a", {0, 1}, {"110000000000", "100000000000"}),
               b = trials_of(folder, "b", {0, 1}, {"111111110000", "011111100000"});
  TrialItems items;
  const StudyTable table =
      make_table_of_two({"A", a}, {"B", b}, {"snli.accuracy", "snli.threshold"}, {.holm = false, .named = true}, items);
  EXPECT_EQ(table.row_labels, (std::vector<std::vector<std::string>>{{"A"}, {"B"}}));
  const CellTest& test = table.cells[1][0].tests.at(0);
  EXPECT_TRUE(test.first);
  EXPECT_EQ(test.rival, "A");
  ASSERT_EQ(test.seeds.size(), 2u);
  EXPECT_EQ(test.seeds[1].only_first, 6);
  EXPECT_EQ(test.seeds[1].only_second, 1);
  EXPECT_GT(test.low.value(), 0) << "b is better";
  EXPECT_EQ(test.seeds_p, welch_test(std::vector{2.0 / 12, 1.0 / 12}, std::vector{8.0 / 12, 6.0 / 12}).p);
  EXPECT_EQ(test.p, std::max(*test.seeds_p, *test.bootstrap_p));
  EXPECT_EQ(test.significant, *test.p < 0.05);
  EXPECT_FALSE(test.holm_p);
  const CellTest& of_no_items = table.cells[1][1].tests.at(0);
  EXPECT_EQ(of_no_items.seeds_p, 1.0) << "over seeds alone";
  EXPECT_FALSE(of_no_items.p || of_no_items.low || !of_no_items.seeds.empty());
}

TEST(TwoRows, WithoutACommonSeedAreTestedOverSeedsAlone) {
  const TemporaryFolder folder;
  const Trials a = trials_of(folder, "a", {0, 1}, {"1100", "1110"}),
               b = trials_of(folder, "b", {2, 3}, {"1111", "1110"});
  TrialItems items;
  const StudyTable table = make_table_of_two({"A", a}, {"B", b}, {"snli.accuracy"}, {.named = true}, items);
  const CellTest& test = table.cells[1][0].tests.at(0);
  EXPECT_EQ(test.seeds_p, welch_test(std::vector{0.5, 0.75}, std::vector{1.0, 0.75}).p);
  EXPECT_FALSE(test.p || test.low || !test.seeds.empty());
  EXPECT_TRUE(notes_say(table, "No test over items: there is no seed in common."));
}

/// One seed each: there is nothing to mark, and the difference is drawn all the same.
TEST(TwoRows, OfOneSeedAreDrawnToo) {
  const TemporaryFolder folder;
  const Trials a = trials_of(folder, "a", {5}, {"110000000000"}), b = trials_of(folder, "b", {6}, {"111111110000"});
  TrialItems items;
  const StudyTable table = make_table_of_two({"A", a}, {"B", b}, {"snli.accuracy"}, {.named = true}, items);
  const CellTest& test = table.cells[1][0].tests.at(0);
  EXPECT_TRUE(test.low && test.bootstrap_p);
  EXPECT_FALSE(test.p || test.seeds_p);
  EXPECT_FALSE(test.seeds.at(0).seed) << "two seeds";
}

}  // namespace
}  // namespace gausscse
