#include "experiments/report/numbers/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gausscse {

namespace {

struct ValueRange {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void add(double least, double highest) {
    low = std::min(low, least);
    high = std::max(high, highest);
  }
};

/// Returns the range in which the mass of sorted groups lies.
ValueRange range_of_mass(const std::vector<std::vector<double>>& groups) {
  ValueRange all, middle;
  for (const std::vector<double>& sorted : groups) {
    if (sorted.empty()) continue;
    const std::size_t cut = sorted.size() / 200;
    all.add(sorted.front(), sorted.back());
    middle.add(sorted[cut], sorted[sorted.size() - 1 - cut]);
  }
  return 3 * (middle.high - middle.low) < 2 * (all.high - all.low) ? middle : all;
}

/// Returns the number of bins that the values of the largest group fill: three times the root of their number, 16 at
/// least.
double bins_for(const std::vector<std::vector<double>>& groups) {
  std::size_t most = 0;
  for (const std::vector<double>& values : groups) most = std::max(most, values.size());
  return std::max(16.0, 3 * std::sqrt(static_cast<double>(most)));
}

}  // namespace

Histograms over_same_bins(const std::vector<std::pair<std::string, std::vector<double>>>& groups, std::size_t most) {
  std::vector<std::vector<double>> sorted;
  for (const auto& [label, values] : groups) {
    std::vector<double>& of_group = sorted.emplace_back();
    // Beyond this the number of a bin would be none.
    std::copy_if(values.begin(), values.end(), std::back_inserter(of_group),
                 [](double value) { return std::isfinite(value) && std::abs(value) <= 1e15; });
    std::sort(of_group.begin(), of_group.end());
  }
  const ValueRange range = range_of_mass(sorted);
  if (range.low > range.high) return {};
  int exponent = -20;
  const auto bin_of = [&](double value) { return std::floor(std::ldexp(value, -exponent)); };
  const double most_bins = std::min(static_cast<double>(most), bins_for(sorted));
  while (bin_of(range.high) - bin_of(range.low) >= most_bins) ++exponent;
  const double first = bin_of(range.low), last = bin_of(range.high), width = std::ldexp(1.0, exponent);
  Histograms all{first * width, width, {}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (sorted[i].empty()) continue;
    Histograms::Series series{groups[i].first, std::vector<std::int64_t>(static_cast<std::size_t>(last - first) + 1),
                              static_cast<std::int64_t>(sorted[i].size())};
    for (const double value : sorted[i]) {
      const double bin = bin_of(value);
      if (bin < first)
        ++series.below;
      else if (bin > last)
        ++series.above;
      else
        ++series.counts[static_cast<std::size_t>(bin - first)];
    }
    all.series.push_back(std::move(series));
  }
  return all;
}

}  // namespace gausscse
