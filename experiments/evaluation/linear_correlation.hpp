#pragma once

#include <span>

namespace gausscse {

/// Pearson's correlation (scipy's pearsonr). In [-1, 1]; NaN for less than two values, or where all values of a side
/// are equal.
double pearson(std::span<const double> x, std::span<const double> y);

}  // namespace gausscse
