#include "evaluation/metrics/linear_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace gausscse {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool is_constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), "as many values of one side as of the other");
  // A mean is rounded, so that a constant may seem to vary.
  if (is_constant(x) || is_constant(y)) return std::numeric_limits<double>::quiet_NaN();
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double covariance = 0, variance_x = 0, variance_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance_x += (x[i] - mean_x) * (x[i] - mean_x);
    variance_y += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return covariance / std::sqrt(variance_x * variance_y);
}

}  // namespace gausscse
