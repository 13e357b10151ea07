#pragma once

#include <span>

namespace gausscse {

/// Returns Pearson's correlation (scipy's pearsonr), in [-1, 1]. It is NaN for less than two values, and where all
/// values of a side are equal: these are compared with each other, since the mean of equal values may be rounded to
/// another one.
double pearson(std::span<const double> x, std::span<const double> y);

}  // namespace gausscse
