#include "evaluation/metrics/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool is_constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

/// Returns ranks from 1 on.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = (static_cast<double>(first + 1) + static_cast<double>(end)) / 2;
    for (; first < end; ++first) ranks[order[first]] = rank;
  }
  return ranks;
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

double spearman(std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), "as many values of one side as of the other");
  for (const std::span<const double> values : {x, y})
    for (const double value : values)
      if (std::isnan(value))
        throw InputError("a value is NaN, so there is no order of ranks: the model's embeddings are not finite");
  return pearson(ranks_of(x), ranks_of(y));
}

}  // namespace gausscse
