#pragma once

#include <span>

namespace gausscse {

/// Returns Pearson's correlation (scipy's pearsonr), in [-1, 1]. It is NaN for less than two values, and where all
/// values of a side are equal. These are compared with each other, since the mean of equal values may be rounded to
/// another one.
double pearson(std::span<const double> x, std::span<const double> y);

/// Returns Spearman's rank correlation: Pearson's of the ranks, where equal values share the mean of theirs (scipy's
/// spearmanr). In [-1, 1]; NaN for less than two values, or where all values of a side are equal. Throws InputError
/// where one is NaN.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace gausscse
