#pragma once

#include <cstdint>
#include <span>

#include "experiments/statistics/bootstrap.hpp"

namespace gausscse {

/// Points of a precision-recall curve: at every distinct score, or at the thresholds 0, 0.001, ..., 1 alone.
enum class CurvePoints { every_score, sweep };

/// Returns the area under the precision-recall curve of the drawn items, by the trapezoid rule from (recall 0,
/// precision 1) on. It is the value of `area_under_precision_recall` and `area_under_precision_recall_sweep` for a set
/// that holds these items. NaN where no positive is drawn. Throws InputError where a score is NaN.
MetricOnSample drawn_precision_recall_area(std::span<const float> scores, std::span<const std::uint8_t> positive,
                                           CurvePoints points);

/// Way in which the correlations of several parts, such as the subsets of a year of STS, become one metric.
enum class PartsOfCorrelation {
  together,        ///< one correlation of all items
  mean,            ///< mean of the parts' correlations
  mean_by_numbers  ///< the same, weighted by the number of items drawn in each part
};

/// Returns Spearman's correlation of the drawn items, equal values having the mean of their ranks. `part` is the number
/// of each item's part, from 0 on without gaps. NaN where a side of a part does not vary among the drawn items. Throws
/// InputError where a value is NaN.
///
///     const MetricOnSample correlation = drawn_spearman(similarity, gold, part, PartsOfCorrelation::together);
///     correlation(drawn);  // of the items with these numbers, each as often as it stands there
MetricOnSample drawn_spearman(std::span<const double> x, std::span<const double> y, std::span<const std::int64_t> part,
                              PartsOfCorrelation parts);

}  // namespace gausscse
