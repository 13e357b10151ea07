#pragma once

#include <span>

namespace gausscse {

// Rounding to two decimals and means, to the bit as SentEval has them: some of its metrics are Python's floats, others
// numpy's, which differ where a metric lies in the middle.

/// Rounds as Python's round(x, 2): to the nearest, of the number that a double is.
double round_as_python(double x);

/// Rounds as numpy's round(x, 2): 100 x to the nearest whole number, the even one in the middle, over 100.
double round_as_numpy(double x);

/// Returns np.mean of 1 to 127 values: sums of every eighth value, joined in pairs.
double mean_as_numpy(std::span<const double> values);

}  // namespace gausscse
