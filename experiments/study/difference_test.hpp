#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/statistics/bootstrap.hpp"
#include "experiments/study/item_metric.hpp"

namespace gausscse {

/// Mean of one metric over trials that measured the same items. Refers to the metrics that were added.
class MeanOverTrials {
 public:
  /// Adds a trial, which must outlive this, and be of the same kind and as many items as those before.
  void add(const ItemMetric& trial);

  std::size_t trials() const { return trials_.size(); }
  /// Returns the items of the first trial, in their clusters; no items without a trial.
  const ItemClusters& clusters() const;

  /// Returns the mean over trials of each item's value; empty where the metric is no mean of its items.
  const std::vector<double>& item_means() const;

  /// Returns the mean over trials of the metric of the drawn items.
  double on_sample(std::span<const std::uint32_t> drawn) const;

 private:
  std::vector<const ItemMetric*> trials_;
  mutable std::vector<double> item_means_;
};

/// Returns the mean metric of drawn items, for a bootstrap over `trials.clusters()`.
MetricOnSample metric_of_draws(const MeanOverTrials& trials);

/// Returns the difference of two mean metrics, `first` less `second`, of drawn items that both measured: a draw takes
/// the same items of both.
MetricOnSample difference_of(const MeanOverTrials& first, const MeanOverTrials& second);

/// Two tests of one difference. Each leaves out a source of chance that the other has: the first keeps the seeds as
/// they are, the second the items.
struct DifferenceTest {
  BootstrapResult items;  ///< bootstrap of the difference, over items
  double seeds_p = 1;     ///< Welch's t-test over the metrics of single seeds; NaN for fewer than two of a side

  /// Returns the larger p of the two, so that it is below a level where both are; NaN where a test does not exist.
  double p() const;
};

/// McNemar's test of a share of right items.
struct McNemarTest {
  std::optional<std::int64_t> seed = {};         ///< seed of both trials; nothing for a sum over seeds
  std::int64_t only_first = 0, only_second = 0;  ///< items that only the one and only the other got right
  double p = 1;
};

/// Tests two trials of a share, on the same items.
McNemarTest mcnemar_test(const ItemMetric& first, const ItemMetric& second, std::optional<std::int64_t> seed);

/// Returns the test of the sums of several tests' discordant items.
McNemarTest sum_of(std::span<const McNemarTest> tests);

}  // namespace gausscse
