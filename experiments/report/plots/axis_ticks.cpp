#include "experiments/report/plots/axis_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/report/html/number_text.hpp"

namespace gausscse {

AxisRange range_of(std::span<const double> values) {
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    // Beyond this the width of a range would be no number.
    if (!std::isfinite(value) || std::abs(value) > 1e300) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (range.low > range.high) return {0, 1};
  if (range.high - range.low <= 1e-9 * std::max(std::abs(range.low), std::abs(range.high))) {
    const double margin = std::max(0.5, 0.1 * std::abs(range.low));
    return {range.low - margin, range.high + margin};
  }
  const double margin = (range.high - range.low) / 20;
  return {range.low - margin, range.high + margin};
}

AxisTicks round_ticks(AxisRange range, std::size_t most, double scale) {
  const double low = range.low * scale, high = range.high * scale;
  // A hundredth of a step of grace, as the ends of a range are often multiples of it up to rounding.
  const auto first_of = [&](double step) { return std::ceil(low / step - 0.01); };
  const auto last_of = [&](double step) { return std::floor(high / step + 0.01); };
  double power = std::pow(10.0, std::floor(std::log10((high - low) / static_cast<double>(most))));
  double step = power;
  int factor = 1;
  while (last_of(step) - first_of(step) + 1 > static_cast<double>(most)) {
    factor = factor == 1 ? 2 : factor == 2 ? 5 : 1;
    if (factor == 1) power *= 10;
    step = power * factor;
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  AxisTicks ticks;
  for (double multiple = first_of(step); multiple <= last_of(step); ++multiple) {
    const double value = multiple * step;
    ticks.at.push_back(value / scale);
    ticks.labels.push_back(std::abs(value) >= 1e6 || decimals > 6 ? short_number(value)
                                                                  : decimal_text(value, decimals));
  }
  return ticks;
}

}  // namespace gausscse
