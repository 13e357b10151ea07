#include "experiments/tables/compare_cells.hpp"

#include <boost/math/distributions/students_t.hpp>

#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/tables/make_table.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/experiments/tables/compared_losses.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(CompareCells, OfEachSeedAndOfTheirSums) {
  const TemporaryFolder folder;
  const auto trials = joined(rivals(folder, 3, 0, 6), rivals(folder, 7, 2, 12));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  ASSERT_EQ(table.cells[0][0].tests.size(), 1u);
  const CellTest &first = table.cells[0][0].tests[0], &second = table.cells[1][0].tests[0];
  EXPECT_EQ(first.rival, "b");
  EXPECT_EQ(second.rival, "a");
  EXPECT_TRUE(first.first);
  EXPECT_FALSE(second.first);
  EXPECT_EQ(first.sum.only_first, 2);
  EXPECT_EQ(first.sum.only_second, 18);
  EXPECT_EQ(second.sum.only_first, 18);
  EXPECT_EQ(second.sum.only_second, 2);
  ASSERT_EQ(first.seeds.size(), 2u);
  EXPECT_EQ(first.seeds[0].seed, 3);
  EXPECT_EQ(first.seeds[1].seed, 7);
  EXPECT_EQ(first.seeds[1].only_first, 2);
  EXPECT_EQ(second.seeds[1].only_first, 12);
  // Exact binomial tests by hand: P(X <= 0) of 6; 1 + 14 + 91 of 2^14; 1 + 20 + 190 of 2^20; twice each.
  EXPECT_NEAR(first.seeds[0].p, 2.0 / 64, 1e-15);
  EXPECT_NEAR(first.seeds[1].p, 2.0 * 106 / 16384, 1e-15);
  ASSERT_TRUE(first.p && first.holm_p);
  EXPECT_EQ(*first.holm_p, *first.p) << "Holm's correction for one test";
  EXPECT_TRUE(notes_say(table, "McNemar's test of each seed"));
}

TEST(CompareCells, AMarkRestsOnItemsAndOnSeeds) {
  const TemporaryFolder folder;
  // `b` is better by 6, 10 and 8 of 60 items: differences of means of 1/10, 1/6, 2/15.
  const auto agreed = joined(joined(rivals(folder, 3, 0, 6), rivals(folder, 7, 2, 12)), rivals(folder, 9, 0, 8));
  const StudyTable table = make_table(compared({"loss"}), study_of(agreed), {});
  const CellTest &first = table.cells[0][0].tests.at(0), &second = table.cells[1][0].tests.at(0);
  EXPECT_LT(first.bootstrap_p.value(), 0.05);
  // Welch by hand: values of a 10, 12, 10 of 60, of b 16, 22, 18: means 32/3 and 56/3, variances 4/3 and 28/3;
  // t = 8 / sqrt(32/9), degrees (32/9)^2 / ((16/81 + 784/81) / 2).
  const double t = 8 / std::sqrt(32.0 / 9), degrees = std::pow(32.0 / 9, 2) / ((16.0 / 81 + 784.0 / 81) / 2);
  const double tail = boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
  EXPECT_NEAR(first.seeds_p.value(), 2 * tail, 1e-12);
  EXPECT_EQ(first.p, std::max(*first.seeds_p, *first.bootstrap_p));
  EXPECT_EQ(second.p, first.p);
  EXPECT_LT(first.low.value(), -8.0 / 60);
  EXPECT_GT(first.high.value(), -8.0 / 60);
  EXPECT_EQ(second.low.value(), -first.high.value());
  EXPECT_TRUE(first.significant && second.significant);
  EXPECT_TRUE(is_best(table.cells[1][0]));
  EXPECT_FALSE(is_best(table.cells[0][0]));
  EXPECT_TRUE(notes_say(table, "Labels of loss differ where two tests agree"));
  EXPECT_FALSE(notes_say(table, "of one seed"));
}

TEST(CompareCells, NoMarkWhereSeedsDisagree) {
  const TemporaryFolder folder;
  // Item by item `b` is far better on average (30 items against 2), but the seeds are 26 apart.
  const auto trials = joined(rivals(folder, 0, 0, 28), rivals(folder, 1, 2, 2));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  const CellTest& test = table.cells[1][0].tests.at(0);
  EXPECT_EQ(test.sum.only_first, 30);
  EXPECT_LT(mcnemar_p(30, 2), 1e-5) << "sums over seeds would mark it";
  EXPECT_LT(test.bootstrap_p.value(), 0.001);
  EXPECT_GT(test.seeds_p.value(), 0.4);
  EXPECT_EQ(test.p, test.seeds_p);
  EXPECT_TRUE(table.cells[1][0].best);
  EXPECT_FALSE(test.significant || is_best(table.cells[1][0]));
}

TEST(CompareCells, NoMarkWhereItemsDisagree) {
  const TemporaryFolder folder;
  // Every seed is better by the same two items: no seed differs from another, but two items of 60 are chance.
  const auto trials = joined(rivals(folder, 0, 0, 2), rivals(folder, 1, 0, 2));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  const CellTest& test = table.cells[1][0].tests.at(0);
  EXPECT_EQ(test.seeds_p, 0.0) << "no seed varies";
  EXPECT_GT(test.bootstrap_p.value(), 0.1);
  EXPECT_FALSE(test.significant || is_best(table.cells[1][0]));
}

TEST(CompareCells, OneSeedMarksNothing) {
  const TemporaryFolder folder;
  const StudyTable table = make_table(compared({"loss"}), study_of(rivals(folder, 0, 40, 0)), {});
  const CellTest& test = table.cells[0][0].tests.at(0);
  EXPECT_LT(test.seeds.at(0).p, 1e-9);
  EXPECT_FALSE(test.p || test.seeds_p || test.low || test.significant);
  EXPECT_TRUE(table.cells[0][0].best);
  EXPECT_FALSE(is_best(table.cells[0][0]));
  EXPECT_TRUE(notes_say(table, "1 of 1 test of the table is of one seed and can mark nothing"));
  EXPECT_FALSE(notes_say(table, "two tests agree")) << "there is no mark to explain";
}

TEST(CompareCells, NoMarkWhereARivalWasNotTested) {
  const TemporaryFolder folder;
  std::vector<StudyTrial> trials;
  for (const std::int64_t seed : {0, 1}) {
    trials.push_back(trial_with_items(folder.path(), {{"loss", "a"}}, seed, items(60, '1')));
    trials.push_back(trial_with_items(folder.path(), {{"loss", "b"}}, seed, items(10, '1') + items(50, '0')));
  }
  const StudyTable alone = make_table(compared({"loss"}), study_of(trials), {});
  EXPECT_TRUE(is_best(alone.cells[0][0]));
  // A trial of another seed cannot be compared; then comes one without a value, which is no rival.
  trials.push_back(trial_with_items(folder.path(), {{"loss", "c"}}, 7, items(10, '1') + items(50, '0')));
  const StudyTable other = make_table(compared({"loss"}), study_of(trials), {});
  EXPECT_EQ(other.cells[0][0].tests.size(), 1u);
  EXPECT_TRUE(other.cells[0][0].tests[0].significant);
  EXPECT_EQ(other.cells[0][0].untested, 1u);
  EXPECT_EQ(other.cells[2][0].untested, 2u);
  EXPECT_FALSE(is_best(other.cells[0][0]));
  trials.back() = other_trial({{"loss", "c"}}, 7, TrialStatus::planned);
  EXPECT_TRUE(is_best(make_table(compared({"loss"}), study_of(trials), {}).cells[0][0]));
}

TEST(CompareCells, HolmsCorrectionIsOverTheTable) {
  const TemporaryFolder folder;
  // a and b are equal in each of two seeds, c is worse by 20 and 21 of 40 items; d has one seed, and no p.
  std::vector<StudyTrial> trials;
  for (const std::int64_t seed : {0, 1}) {
    for (const char* loss : {"a", "b"})
      trials.push_back(
          trial_with_items(folder.path(), {{"loss", loss}}, seed, items(39 + seed, '1') + items(1 - seed, '0')));
    trials.push_back(trial_with_items(folder.path(), {{"loss", "c"}}, seed, items(19, '1') + items(21, '0')));
  }
  trials.push_back(trial_with_items(folder.path(), {{"loss", "d"}}, 0, items(40, '0')));
  const StudyTable plain = make_table(compared({"loss"}), study_of(trials), {.holm = false});
  EXPECT_FALSE(plain.cells[2][0].tests.at(0).holm_p);
  EXPECT_TRUE(plain.cells[2][0].tests.at(0).significant);
  EXPECT_EQ(plain.cells[2][0].tests.at(1).rival, "b");
  EXPECT_TRUE(notes_say(plain, "nothing is corrected"));
  EXPECT_TRUE(notes_say(plain, "3 of 6 tests of the table are of one seed"));
  const StudyTable table = make_table(compared({"loss"}), study_of(trials), {});
  const std::vector<CellTest>& tests = table.cells[2][0].tests;
  ASSERT_EQ(tests.size(), 3u);
  const double p = plain.cells[2][0].tests.at(0).p.value();
  EXPECT_GT(p, 0);
  EXPECT_EQ(tests[0].p.value(), p);
  EXPECT_NEAR(tests[0].holm_p.value(), 3 * p, 1e-15) << "three tests have a p";
  EXPECT_NEAR(tests[1].holm_p.value(), 3 * p, 1e-15);
  EXPECT_EQ(table.cells[0][0].tests.at(0).holm_p, 1.0);
  EXPECT_FALSE(tests[2].holm_p);
  EXPECT_EQ(tests[0].significant, 3 * p < 0.05);
  EXPECT_TRUE(notes_say(table, "Holm's correction for the 3 tests of the table"));
}

/// The first twenty pairs are of one premise.
TEST(CompareCells, DrawThePairsOfAPremiseTogether) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> premise;
  for (std::int64_t i = 0; i < 40; ++i) premise.push_back(std::max<std::int64_t>(i, 19));
  std::vector<double> of_a(40), of_b(40);
  std::vector<StudyTrial> trials;
  for (const char* loss : {"a", "b"}) {
    std::vector<std::uint8_t> right;
    for (std::size_t i = 0; i < 40; ++i) right.push_back(*loss == 'a' ? i % 3 != 0 : i % 2 == 0);
    std::copy(right.begin(), right.end(), (*loss == 'a' ? of_a : of_b).begin());
    Measurement measurement = nli_measurement("snli", right);
    measurement.columns.push_back({"cluster", premise});
    trials.push_back(trial_with_measurement(folder.path(), {{"loss", loss}}, 0, measurement));
  }
  const StudyTable table =
      make_table(compared({"loss"}), study_of(trials), {.interval = setting::CellInterval::bootstrap});
  const auto by = [&](const ItemClusters& clusters) {
    return bootstrap(clusters, difference_of_means(of_a, of_b), {}).interval;
  };
  const CellTest& test = table.cells[0][0].tests.at(0);
  EXPECT_EQ(test.low, by(ItemClusters(premise)).low);
  EXPECT_EQ(test.high, by(ItemClusters(premise)).high);
  EXPECT_NE(test.low, by(ItemClusters(40)).low);
}

TEST(CompareCells, BootstrapOfTheDifferenceWhereItIsAsked) {
  const TemporaryFolder folder;
  const auto trials = joined(rivals(folder, 0, 20, 0, 100), rivals(folder, 1, 20, 10, 100));
  const StudyTable table =
      make_table(compared({"loss"}), study_of(trials), {.interval = setting::CellInterval::bootstrap});
  const CellTest &first = table.cells[0][0].tests.at(0), &second = table.cells[1][0].tests.at(0);
  // Mean differences of items: 20 have 1, 10 have -1/2: mean 0.15, deviation sqrt(.2 + .025 - .0225) = .45.
  EXPECT_NEAR(first.low.value(), 0.15 - 1.96 * 0.045, 0.01);
  EXPECT_NEAR(first.high.value(), 0.15 + 1.96 * 0.045, 0.01);
  EXPECT_LT(first.bootstrap_p.value(), 0.01);
  EXPECT_EQ(second.low.value(), -first.high.value());
  EXPECT_EQ(second.high.value(), -first.low.value());
  EXPECT_EQ(
      make_table(compared({"loss"}), study_of(trials), {.interval = setting::CellInterval::bootstrap, .threads = 3})
          .cells[0][0]
          .tests[0]
          .low,
      first.low);
}

TEST(CompareCells, NoBootstrapOverSeedsOfOtherItems) {
  const TemporaryFolder folder;
  const auto trials = joined(rivals(folder, 0, 6, 0, 60), rivals(folder, 1, 6, 0, 80));
  const StudyTable table =
      make_table(compared({"loss"}), study_of(trials), {.interval = setting::CellInterval::bootstrap});
  const CellTest& test = table.cells[0][0].tests.at(0);
  EXPECT_EQ(test.seeds.size(), 2u);
  EXPECT_EQ(test.sum.only_first, 12);
  EXPECT_FALSE(test.low || test.bootstrap_p) << "an item of the one is none of the other";
}

}  // namespace
}  // namespace gausscse
