#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gausscse {

/// Returns the area under the precision-recall curve, one point at every distinct score and the point (recall 0,
/// precision 1), by the trapezoid rule: scikit-learn's auc(recall, precision) of precision_recall_curve. `positive[i]`
/// is not 0 where pair i is a positive. In [0, 1]. Throws InputError where there is no positive or a score is NaN.
double area_under_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> positive);
double area_under_precision_recall(std::span<const double> scores, std::span<const std::uint8_t> positive);

/// Returns the area under precision and recall as the paper's text describes it. It has points only at the thresholds
/// 0, 0.001, ..., 1 (a score >= threshold is predicted positive) and (recall 0, precision 1). Thresholds above every
/// score add no point.
double area_under_precision_recall_sweep(std::span<const float> scores, std::span<const std::uint8_t> positive);
double area_under_precision_recall_sweep(std::span<const double> scores, std::span<const std::uint8_t> positive);

/// Returns the first of 0, 0.001, ..., 1 with the best accuracy. Throws InputError for no pairs or a NaN score.
double best_threshold(std::span<const float> scores, std::span<const std::uint8_t> positive);

/// Returns the fraction of the pairs for which "score >= threshold" is "positive". Throws as `best_threshold`.
double accuracy_at(double threshold, std::span<const float> scores, std::span<const std::uint8_t> positive);
double accuracy_at(double threshold, std::span<const double> scores, std::span<const std::uint8_t> positive);

/// Returns the accuracy of the direction task: of pairs of which one sentence (the premise) entails the other, the
/// fraction with `premise_side[i] > hypothesis_side[i]`; ties are wrong. By similarity the sides are
/// sim(hypothesis||premise) and sim(premise||hypothesis); by variance the sums of log std of premise and hypothesis.
/// Throws InputError for no pairs or a NaN.
double direction_accuracy(std::span<const float> premise_side, std::span<const float> hypothesis_side);

/// Returns the number of Unicode code points of well-formed UTF-8.
std::size_t character_length(std::string_view sentence);

}  // namespace gausscse
