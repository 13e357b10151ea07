#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/item_clusters.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

struct BootstrapSettings {
  std::int64_t draws = 10'000;
  double confidence = 0.95;
  std::uint64_t seed = 0;
  int threads = 1;  ///< results are the same for any number
};

struct BootstrapResult {
  Interval interval;           ///< percentile interval
  double p = 1;                ///< two-sided, that the metric is 0
  std::int64_t undefined = 0;  ///< draws in which the metric was NaN: these are left out
};

/// A metric of items, some of which come several times and some not at all; of two systems on the same items their
/// difference, so that both are drawn alike. Several threads may call it at once.
using MetricOnSample = std::function<double(std::span<const std::uint32_t> items)>;

/// Returns the bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and 15). Each
/// draw takes as many clusters of `items` as there are, with replacement, and computes the metric of their items. The
/// interval's ends are the quantiles (1 -+ confidence) / 2 of the metrics. p = min(1, 2 (1 + m) / (1 + draws)), with m
/// the lesser of the numbers of draws with a metric <= 0 and >= 0. Draw k is a function of seed and k: stream k of
/// Philox. NaN where no draw has a metric.
BootstrapResult bootstrap(const ItemClusters& items, const MetricOnSample& metric, const BootstrapSettings& settings);

/// Returns the bootstraps of several metrics of these items, in one pass: each draw's items are drawn once for all.
std::vector<BootstrapResult> bootstrap_together(const ItemClusters& items, std::span<const MetricOnSample> metrics,
                                                const BootstrapSettings& settings);

/// Returns the difference between the means of two systems' values of the drawn items, `first` less `second`; both have
/// as many values.
MetricOnSample difference_of_means(std::span<const double> first, std::span<const double> second);

}  // namespace gausscse
