#include "evaluation/metrics/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "evaluation/metrics/linear_correlation.hpp"

namespace gausscse {

namespace {

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

double spearman(std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), "as many values of one side as of the other");
  for (const std::span<const double> values : {x, y})
    for (const double value : values)
      if (std::isnan(value))
        throw InputError("a value is NaN, so there is no order of ranks: the model's embeddings are not finite");
  return pearson(ranks_of(x), ranks_of(y));
}

}  // namespace gausscse
