#include "experiments/statistics/descriptive.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
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

namespace {

constexpr Interval no_interval{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

/// Returns the probability of each of the two tails: quantiles are taken from the tail, where 1 - probability would
/// lose digits.
double tail_of(double confidence) {
  GAUSSCSE_CHECK(confidence > 0 && confidence < 1, "confidence ", confidence);
  return (1 - confidence) / 2;
}

}  // namespace

Interval student_interval(std::span<const double> values, double confidence) {
  const double tail = tail_of(confidence);
  const double mean = mean_of(values), deviation = sample_deviation(values);
  if (!std::isfinite(mean) || !std::isfinite(deviation)) return no_interval;
  const auto count = static_cast<double>(values.size());
  const double t = boost::math::quantile(boost::math::complement(boost::math::students_t(count - 1), tail));
  const double half = t * deviation / std::sqrt(count);
  return {mean - half, mean + half};
}

Interval wilson_interval(double successes, double trials, double confidence) {
  const double tail = tail_of(confidence);
  return wilson_interval_of(successes, trials,
                            boost::math::quantile(boost::math::complement(boost::math::normal(), tail)));
}

}  // namespace gausscse
