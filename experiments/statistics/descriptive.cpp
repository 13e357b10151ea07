#include "experiments/statistics/descriptive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean_of(std::span<const double> values) {
  if (values.empty()) return undefined;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double sample_deviation(std::span<const double> values) {
  if (values.size() < 2) return undefined;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median_of(std::span<const double> values) {
  if (values.empty() || std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    return undefined;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, 0.5);
}

double quantile_of_sorted(std::span<const double> sorted, double at) {
  GAUSSCSE_CHECK(!sorted.empty() && at >= 0 && at <= 1, sorted.size(), " values, at ", at);
  const double place = static_cast<double>(sorted.size() - 1) * at;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace gausscse
