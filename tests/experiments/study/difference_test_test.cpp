#include "experiments/study/difference_test.hpp"

#include <numbers>

#include "base/philox.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "tests/experiments/statistics/bootstrap_difference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Two systems of five seeds each on the same items. An item is right where its easiness, the system's advantage, the
/// seed's luck and its own draw are over 0 together: all normal, the last of deviation `own`.
struct Simulation {
  double advantage = 0;  ///< advantage of the first system
  double luck = 0;       ///< deviation between seeds
  double own = 1;
};

constexpr std::size_t simulated_items = 300, simulated_seeds = 5, simulations = 200;

/// Numbers of simulations that each test finds to differ at 0.05.
struct Found {
  std::size_t both = 0, sums = 0, items = 0;
};

double normal(PhiloxStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

ItemMetric share_of(std::vector<std::uint8_t> right) {
  const std::size_t items = right.size();
  return {ItemClusters(items), std::move(right), {}, {}};
}

double share(const ItemMetric& metric) {
  double sum = 0;
  for (const std::uint8_t right : metric.right) sum += right;
  return sum / static_cast<double>(metric.items());
}

DifferenceTest test_difference(const MeanOverTrials& first, const MeanOverTrials& second,
                               const std::vector<double>& of_first, const std::vector<double>& of_second, int draws) {
  return {bootstrap(first.clusters(), difference_of(first, second), {.draws = draws}),
          welch_test(of_first, of_second).p};
}

Found simulate(const Simulation& simulation) {
  Found found;
  for (std::size_t run = 0; run < simulations; ++run) {
    PhiloxStream random(17, run);
    std::vector<double> easiness(simulated_items);
    for (double& each : easiness) each = normal(random);
    std::vector<ItemMetric> metrics[2];
    std::vector<double> shares[2];
    for (const int system : {0, 1})
      for (std::size_t seed = 0; seed < simulated_seeds; ++seed) {
        const double advantage = (system == 0 ? simulation.advantage : 0) + simulation.luck * normal(random);
        std::vector<std::uint8_t> right;
        for (const double easy : easiness) right.push_back(easy + advantage + simulation.own * normal(random) > 0);
        metrics[system].push_back(share_of(std::move(right)));
        shares[system].push_back(share(metrics[system].back()));
      }
    MeanOverTrials first, second;
    std::vector<McNemarTest> of_seeds;
    for (std::size_t seed = 0; seed < simulated_seeds; ++seed) {
      first.add(metrics[0][seed]);
      second.add(metrics[1][seed]);
      of_seeds.push_back(mcnemar_test(metrics[0][seed], metrics[1][seed], std::nullopt));
    }
    const DifferenceTest test = test_difference(first, second, shares[0], shares[1], 400);
    found.both += test.p() < 0.05;
    found.items += test.items.p < 0.05;
    found.sums += sum_of(of_seeds).p < 0.05;
  }
  return found;
}

TEST(DifferenceTest, FindsNoMoreThanItsLevelWhereNothingDiffers) {
  for (const double luck : {0.1, 0.3}) {
    const Found found = simulate({.advantage = 0, .luck = luck, .own = 0.5});
    // A level of 5 % gives more than 16 finds in 200 draws with a chance of 2 %.
    EXPECT_LE(found.both, simulations / 20 + 6) << luck;
    EXPECT_GE(found.sums, simulations / 10) << "sums over seeds find what is not there, luck " << luck;
  }
}

TEST(DifferenceTest, ItemsAloneFindTheLuckOfSeeds) {
  EXPECT_GE(simulate({.advantage = 0, .luck = 0.3, .own = 0.5}).items, simulations / 10);
}

TEST(DifferenceTest, FindsARealDifference) {
  EXPECT_GE(simulate({.advantage = 0.35, .luck = 0.1, .own = 0.5}).both, simulations * 9 / 10);
}

TEST(DifferenceTest, IsTheLargerP) {
  const ItemMetric a = share_of({1, 1, 1, 1, 0}), b = share_of({1, 1, 0, 1, 0});
  MeanOverTrials first, second;
  first.add(a);
  second.add(b);
  const std::vector<double> of_first{0.8, 0.9}, of_second{0.6, 0.7};
  const DifferenceTest test = test_difference(first, second, of_first, of_second, 100);
  EXPECT_EQ(test.items.p, bootstrap_difference(first.item_means(), second.item_means(), {.draws = 100}).p);
  EXPECT_EQ(test.p(), std::max(test.seeds_p, test.items.p));
  EXPECT_TRUE(std::isnan(test_difference(first, second, {0.8}, {0.6}, 100).p())) << "one seed has no variance";
}

/// Pairs of a premise share its luck. Intervals of drawn premises cover the true mean, those of drawn pairs do not.
TEST(MeanOverTrials, IntervalsOfClustersCoverTheTrueMean) {
  constexpr std::size_t premises = 150, pairs_each = 4, runs = 300;
  std::size_t by_clusters = 0, by_items = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    PhiloxStream random(23, run);
    std::vector<double> values;
    std::vector<std::int64_t> premise;
    for (std::size_t i = 0; i < premises; ++i) {
      const double of_premise = normal(random);
      for (std::size_t j = 0; j < pairs_each; ++j) {
        values.push_back(of_premise + 0.5 * normal(random));
        premise.push_back(static_cast<std::int64_t>(i));
      }
    }
    const ItemMetric clustered{ItemClusters(premise), {}, values, {}};
    const ItemMetric alone{ItemClusters(values.size()), {}, values, {}};
    const auto covers = [](const ItemMetric& metric) {
      MeanOverTrials mean;
      mean.add(metric);
      const Interval interval = bootstrap(mean.clusters(), metric_of_draws(mean), {.draws = 400}).interval;
      return interval.low <= 0 && 0 <= interval.high;
    };
    by_clusters += covers(clustered);
    by_items += covers(alone);
  }
  // A binomial of 300 and 0.95 is below 275 with a probability of 1 %.
  EXPECT_GE(by_clusters, 275u);
  EXPECT_LE(by_items, 240u) << "pairs drawn alone";
}

TEST(MeanOverTrials, DifferencesDrawClustersToo) {
  const std::vector<std::int64_t> premise{4, 4, 4, 1, 1, 2, 7, 7};
  const ItemMetric a{ItemClusters(premise), {}, {1, 0, 1, 1, 0, 1, 1, 1}, {}},
      b{ItemClusters(premise), {}, {0, 0, 1, 0, 1, 1, 0, 0}, {}};
  MeanOverTrials first, second;
  first.add(a);
  second.add(b);
  const auto by = [&](const ItemClusters& clusters) {
    return bootstrap(clusters, difference_of_means(a.values, b.values), {.draws = 300}).interval;
  };
  const Interval found = bootstrap(first.clusters(), difference_of(first, second), {.draws = 300}).interval;
  EXPECT_EQ(found.low, by(ItemClusters(premise)).low);
  EXPECT_EQ(found.high, by(ItemClusters(premise)).high);
  EXPECT_NE(found.low, by(ItemClusters(8)).low);
}

TEST(MeanOverTrials, IsTheMeanOfItemsOrOfMetrics) {
  const ItemMetric a = share_of({1, 0, 1, 1}), b = share_of({0, 0, 1, 1}), c = share_of({1, 0, 0, 1});
  MeanOverTrials mean;
  for (const ItemMetric* each : {&a, &b, &c}) mean.add(*each);
  EXPECT_EQ(mean.item_means(), (std::vector<double>{2.0 / 3, 0, 2.0 / 3, 1}));
  const auto drawn_first = [](double factor) {
    return ItemMetric{
        ItemClusters(3), {}, {}, [factor](std::span<const std::uint32_t> drawn) { return factor * drawn[0]; }};
  };
  const ItemMetric one = drawn_first(1), five = drawn_first(5);
  MeanOverTrials of_draws, alone;
  of_draws.add(one);
  of_draws.add(five);
  alone.add(one);
  EXPECT_TRUE(of_draws.item_means().empty());
  EXPECT_EQ(of_draws.on_sample(std::vector<std::uint32_t>{2, 0, 0}), 6);
  // Three times the first item's number less that number: 0, 2 or 4, a third of the draws each.
  const BootstrapSettings settings{.draws = 500, .confidence = 0.5};
  const BootstrapResult difference = bootstrap(of_draws.clusters(), difference_of(of_draws, alone), settings);
  EXPECT_EQ(difference.interval.low, 0);
  EXPECT_EQ(difference.interval.high, 4);
  EXPECT_EQ(bootstrap(of_draws.clusters(), metric_of_draws(of_draws), settings).interval.high, 6);
}

}  // namespace
}  // namespace gausscse
