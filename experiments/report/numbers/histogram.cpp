#include "experiments/report/numbers/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gausscse {

void FixedHistogram::add(double value) {
  if (std::isnan(value)) return;
  ++total;
  const double bins = static_cast<double>(counts.size());
  // A millionth of a bin of grace: 0.3 belongs to the bin from 0.3 on, also if 0.3 / 0.1 is rounded down.
  const double place = (value - low) / width + 1e-6;
  if (place < 0) {
    ++below;
  } else if (place > bins + 2e-6) {
    ++above;
  } else {
    ++counts[static_cast<std::size_t>(std::min(std::floor(place), bins - 1))];
  }
}

Histograms over_same_bins(const std::vector<std::pair<std::string, std::vector<double>>>& groups, std::size_t most) {
  // Beyond this the number of a bin would be none.
  const auto counts = [](double value) { return std::isfinite(value) && std::abs(value) <= 1e15; };
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& [label, values] : groups)
    for (const double value : values) {
      if (!counts(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) return {};
  int exponent = -10;
  const auto bin_of = [&](double value) { return static_cast<std::int64_t>(std::floor(std::ldexp(value, -exponent))); };
  while (bin_of(high) - bin_of(low) >= static_cast<std::int64_t>(most)) ++exponent;
  const std::int64_t first = bin_of(low);
  const double width = std::ldexp(1.0, exponent);
  Histograms all{static_cast<double>(first) * width, width, {}};
  for (const auto& [label, values] : groups) {
    Histograms::Series series{label, std::vector<std::int64_t>(static_cast<std::size_t>(bin_of(high) - first + 1)), 0};
    for (const double value : values) {
      if (!counts(value)) continue;
      ++series.counts[static_cast<std::size_t>(bin_of(value) - first)];
      ++series.total;
    }
    if (series.total > 0) all.series.push_back(std::move(series));
  }
  return all;
}

}  // namespace gausscse
