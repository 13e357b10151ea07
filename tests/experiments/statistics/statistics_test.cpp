#include <atomic>

#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "tests/experiments/statistics/bootstrap_difference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<double>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Descriptive, OfFewValues) {
  EXPECT_TRUE(std::isnan(mean_of({})));
  EXPECT_TRUE(std::isnan(median_of({})));
  EXPECT_TRUE(std::isnan(sample_deviation(Numbers{3})));
  EXPECT_EQ(mean_of(Numbers{3}), 3);
  EXPECT_EQ(median_of(Numbers{3}), 3);
  EXPECT_EQ(sample_deviation(Numbers{1, 3}), std::sqrt(2.0));
  EXPECT_EQ(sample_deviation(Numbers{2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7));
}

TEST(Descriptive, MedianOfEvenAndOddNumbersInAnyOrder) {
  EXPECT_EQ(median_of(Numbers{9, 1, 5}), 5);
  EXPECT_EQ(median_of(Numbers{9, 1, 5, 6}), 5.5);
  EXPECT_TRUE(std::isnan(median_of(Numbers{1, not_a_number, 3})));
}

TEST(Descriptive, QuantilesAreLinearBetweenNeighbours) {
  const Numbers sorted{10, 20, 40};
  EXPECT_EQ(quantile_of_sorted(sorted, 0), 10);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.25), 15);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.75), 30);
  EXPECT_EQ(quantile_of_sorted(sorted, 1), 40);
  EXPECT_THROW(quantile_of_sorted({}, 0.5), std::logic_error);
}

TEST(StudentInterval, OfTwoValuesIsCauchys) {
  // One degree of freedom: the quantile is tan(pi (p - 1/2)).
  const Interval found = student_interval(Numbers{1, 3}, 0.95);
  const double half = std::tan(std::acos(-1.0) * 0.475) * std::sqrt(2.0) / std::sqrt(2.0);
  EXPECT_NEAR(found.low, 2 - half, 1e-12);
  EXPECT_NEAR(found.high, 2 + half, 1e-12);
}

TEST(StudentInterval, NeedsTwoNumbers) {
  EXPECT_TRUE(std::isnan(student_interval(Numbers{1}).low));
  EXPECT_TRUE(std::isnan(student_interval({}).high));
  EXPECT_TRUE(std::isnan(student_interval(Numbers{1, not_a_number}).low));
  EXPECT_EQ(student_interval(Numbers{2, 2}).low, 2);
}

TEST(WilsonInterval, StaysWithinZeroAndOne) {
  const double z = 1.959963984540054;
  const Interval none = wilson_interval(0, 10), all = wilson_interval(10, 10);
  EXPECT_NEAR(none.low, 0, 1e-15);
  EXPECT_NEAR(none.high, z * z / (10 + z * z), 1e-12);
  EXPECT_NEAR(all.low, 10 / (10 + z * z), 1e-12);
  EXPECT_LE(all.high, 1);
  EXPECT_TRUE(std::isnan(wilson_interval(0, 0).low));
  EXPECT_THROW(wilson_interval(3, 2), std::logic_error);
}

TEST(McNemar, ExactBelow25DiscordantPairs) {
  EXPECT_EQ(mcnemar_p(0, 0), 1);
  EXPECT_EQ(mcnemar_p(3, 3), 1);
  EXPECT_NEAR(mcnemar_p(0, 5), 2.0 / 32, 1e-15);
  EXPECT_NEAR(mcnemar_p(1, 5), 2.0 * 7 / 64, 1e-15);
  EXPECT_NEAR(mcnemar_p(0, 24), std::exp2(-23), 1e-18);
}

TEST(McNemar, ChiSquareFrom25OnWithContinuityCorrection) {
  // The square of a standard normal: P(chi2 > x) = erfc(sqrt(x / 2)).
  EXPECT_NEAR(mcnemar_p(25, 0), std::erfc(std::sqrt(24.0 * 24 / 25 / 2)), 1e-15);
  EXPECT_NEAR(mcnemar_p(15, 10), std::erfc(std::sqrt(4.0 * 4 / 25 / 2)), 1e-14);
  EXPECT_EQ(mcnemar_p(30, 45), mcnemar_p(45, 30));
  EXPECT_THROW(mcnemar_p(-1, 30), std::logic_error);
}

TEST(SignTest, OfFiveSeedsIsNeverBelow) {
  EXPECT_EQ(least_sign_test_p(5), 0.0625);
  EXPECT_EQ(least_sign_test_p(6), 0.03125);
  EXPECT_EQ(least_sign_test_p(1), 1);
  EXPECT_EQ(least_sign_test_p(0), 1);
}

TEST(Holm, LeavesOutWhatIsNoTest) {
  const Numbers adjusted = holm_adjusted(Numbers{0.02, not_a_number, 0.01});
  EXPECT_NEAR(adjusted[0], 0.02, 1e-15);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_NEAR(adjusted[2], 0.02, 1e-15);
  EXPECT_TRUE(holm_adjusted({}).empty());
  EXPECT_EQ(holm_adjusted(Numbers{0.9, 0.8})[0], 1);
}

TEST(Welch, OfSamplesThatDoNotVary) {
  EXPECT_EQ(welch_test(Numbers{1, 1}, Numbers{1, 1}).p, 1);
  EXPECT_EQ(welch_test(Numbers{1, 1}, Numbers{2, 2}).p, 0);
  EXPECT_EQ(welch_test(Numbers{1, 1}, Numbers{2, 2}).t, -infinite);
  EXPECT_TRUE(std::isnan(welch_test(Numbers{1}, Numbers{2, 3}).p));
  EXPECT_TRUE(std::isnan(welch_test(Numbers{1, infinite}, Numbers{2, 3}).p));
}

TEST(Welch, OfOneThatVariesIsStudents) {
  // Only the second varies: one degree of freedom, Cauchy's distribution.
  const WelchTest found = welch_test(Numbers{5, 5, 5}, Numbers{1, 3});
  EXPECT_NEAR(found.t, 3, 1e-15);
  EXPECT_NEAR(found.degrees, 1, 1e-15);
  EXPECT_NEAR(found.p, 2 * (0.5 - std::atan(3.0) / std::acos(-1.0)), 1e-12);
}

TEST(Bootstrap, BitsDoNotDependOnThreads) {
  Numbers first(101), second(101);
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = std::sin(static_cast<double>(i));
    second[i] = std::cos(static_cast<double>(i * i)) - 0.3;
  }
  const BootstrapResult one = bootstrap_difference(first, second, {.draws = 1000, .seed = 5, .threads = 1});
  const BootstrapResult four = bootstrap_difference(first, second, {.draws = 1000, .seed = 5, .threads = 4});
  EXPECT_EQ(one.interval.low, four.interval.low);
  EXPECT_EQ(one.interval.high, four.interval.high);
  EXPECT_EQ(one.p, four.p);
  EXPECT_LT(one.interval.low, one.interval.high);
  const BootstrapResult other = bootstrap_difference(first, second, {.draws = 1000, .seed = 6, .threads = 1});
  EXPECT_NE(one.interval.low, other.interval.low);
}

TEST(Bootstrap, ComesNearTheNormalIntervalOfAMean) {
  Numbers halves(400, 0.0);
  std::fill(halves.begin(), halves.begin() + 200, 1.0);
  const BootstrapResult found = bootstrap_difference(halves, Numbers(400, 0.0), {});
  EXPECT_NEAR(found.interval.low, 0.5 - 1.96 * 0.025, 0.003);
  EXPECT_NEAR(found.interval.high, 0.5 + 1.96 * 0.025, 0.003);
  EXPECT_NEAR(found.p, 2.0 / 10'001, 1e-15);
}

TEST(Bootstrap, OfNoDifferenceIsOne) {
  const BootstrapResult found = bootstrap_difference(Numbers{1, 2}, Numbers{1, 2}, {.draws = 10});
  EXPECT_EQ(found.p, 1);
  EXPECT_EQ(found.interval.low, 0);
}

TEST(Bootstrap, ReportsDrawsWithoutAMetric) {
  // A quarter of the draws from two items are item 1 twice: only these have the metric.
  const MetricOnSample metric = [](std::span<const std::uint32_t> items) {
    return items[0] == 1 && items[1] == 1 ? 3.0 : not_a_number;
  };
  const BootstrapResult found = bootstrap(ItemClusters(2), metric, {.draws = 400});
  EXPECT_GT(found.undefined, 250);
  EXPECT_LT(found.undefined, 350);
  EXPECT_EQ(found.interval.low, 3);
  EXPECT_NEAR(found.p, 2.0 / (401.0 - static_cast<double>(found.undefined)), 1e-15);
  const BootstrapResult none = bootstrap(ItemClusters(2), [](auto) { return not_a_number; }, {.draws = 5});
  EXPECT_TRUE(std::isnan(none.p) && std::isnan(none.interval.low));
  EXPECT_TRUE(std::isnan(bootstrap(ItemClusters(0), metric, {}).p));
}

TEST(Bootstrap, PassesOnWhatTheMetricThrows) {
  std::atomic<int> calls{0};
  const MetricOnSample metric = [&](std::span<const std::uint32_t>) -> double {
    if (++calls == 3) throw std::runtime_error("third");
    return 1;
  };
  EXPECT_THROW(bootstrap(ItemClusters(3), metric, {.draws = 20, .threads = 2}), std::runtime_error);
}

TEST(Bootstrap, SeveralMetricsShareTheDrawsOfOne) {
  const std::vector<double> first{1, 0, 1, 1, 0, 0.5, 0.25}, second{0, 0, 1, 0, 0, 1, 0.75}, none(7, 0.0);
  const std::vector<MetricOnSample> metrics{
      difference_of_means(first, second), difference_of_means(first, none),
      [](std::span<const std::uint32_t> drawn) { return drawn[0] == 3 ? std::nan("") : drawn[0] * 1.0; }};
  for (const int threads : {1, 3}) {
    const BootstrapSettings settings{.draws = 300, .seed = 4, .threads = threads};
    const std::vector<BootstrapResult> together = bootstrap_together(ItemClusters(7), metrics, settings);
    ASSERT_EQ(together.size(), 3u);
    EXPECT_EQ(together[0].interval.low, bootstrap_difference(first, second, settings).interval.low);
    EXPECT_EQ(together[1].interval.high, bootstrap_difference(first, none, settings).interval.high);
    EXPECT_EQ(together[1].p, bootstrap_difference(first, none, settings).p);
    EXPECT_EQ(together[2].undefined, bootstrap(ItemClusters(7), metrics[2], settings).undefined);
    EXPECT_GT(together[2].undefined, 0);
  }
  EXPECT_TRUE(bootstrap_together(ItemClusters(7), {}, {}).empty());
  EXPECT_TRUE(std::isnan(bootstrap_together(ItemClusters(0), metrics, {}).at(2).p));
}

}  // namespace
}  // namespace gausscse
