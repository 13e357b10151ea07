#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace gausscse {

/// Ends of an interval; both are NaN where there is none.
struct Interval {
  double low = 0, high = 0;
};

/// The 97.5 % quantile of the normal distribution, which intervals of 95 % are made with.
inline constexpr double normal_quantile_of_95 = 1.959963984540054;

/// Returns Wilson's interval of a proportion seen in `trials` independent trials of which `successes` succeeded: (p +
/// z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n) (Wilson, "Probable inference, the law of succession, and
/// statistical inference", 1927). `successes` need not be whole: it may be a mean over runs on the same items. NaN of
/// no trials, and of successes that are NaN.
inline Interval wilson_interval_of(double successes, double trials, double z = normal_quantile_of_95) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!(trials > 0) || std::isnan(successes)) return {none, none};
  GAUSSCSE_CHECK(successes >= 0 && successes <= trials, successes, " successes of ", trials);
  const double p = successes / trials, z2 = z * z;
  const double center = p + z2 / (2 * trials);
  const double half = z * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials));
  const double scale = 1 + z2 / trials;
  return {std::max(0.0, (center - half) / scale), std::min(1.0, (center + half) / scale)};
}

}  // namespace gausscse
