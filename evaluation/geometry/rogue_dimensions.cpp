#include "evaluation/geometry/rogue_dimensions.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/tril_indices.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gausscse {

namespace {

/// Returns `contributions` [width], float64.
RogueDimensions in_order(const at::Tensor& contributions) {
  const double* contribution = contributions.const_data_ptr<double>();
  RogueDimensions dimensions;
  dimensions.order.resize(static_cast<std::size_t>(contributions.numel()));
  std::iota(dimensions.order.begin(), dimensions.order.end(), std::int64_t{0});
  std::stable_sort(dimensions.order.begin(), dimensions.order.end(),
                   [&](std::int64_t a, std::int64_t b) { return contribution[a] > contribution[b]; });
  double sum = 0;
  for (const std::int64_t dimension : dimensions.order) {
    dimensions.shares.push_back(contribution[dimension]);
    sum += contribution[dimension];
    for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i)
      if (dimensions.reaching[i] == 0 && sum >= RogueDimensions::levels[i])
        dimensions.reaching[i] = static_cast<std::int64_t>(dimensions.shares.size());
  }
  return dimensions;
}

constexpr std::int64_t removals[] = {1, 2, 3, 5, 10, 20, 50, 100, 300, 700};

/// Returns the cosines of all pairs of rows, by their dot products: [pairs]. The cosine of a zero row is 0.
at::Tensor cosines(const at::Tensor& products, const at::Tensor& pairs) {
  const at::Tensor norms = products.diagonal().clamp_min(0).sqrt();
  const at::Tensor inverse = at::where(norms.gt(0), norms.reciprocal(), at::zeros_like(norms));
  return (products * inverse.unsqueeze(1) * inverse).flatten().index_select(0, pairs);
}

double squared_correlation(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor a = x - x.mean(), b = y - y.mean();
  const double covariance = a.dot(b).item<double>();
  return covariance * covariance / (a.dot(a).item<double>() * b.dot(b).item<double>());
}

Informativity summary(std::int64_t removed, const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {removed, mean,
          values.size() > 1 ? std::sqrt(squares / (count - 1)) : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

RogueDimensions rogue_dimensions_of_ids(const LayerStatistics& layer) {
  const at::Tensor squares = layer.id_sums().square();
  const at::Tensor lengths = squares.sum(1, true);
  const at::Tensor met = lengths.squeeze(1).gt(0).nonzero().squeeze(1);
  return in_order((squares.index_select(0, met) / lengths.index_select(0, met)).mean(0));
}

RogueDimensions rogue_dimensions_of_tokens(const LayerStatistics& layer) {
  const double pairs = layer.sentences() * (layer.sentences() - 1);
  return in_order((layer.mean_sum().square() - layer.mean_squares()) / pairs);
}

std::vector<Informativity> informativity_without(std::span<const std::int64_t> order,
                                                 std::span<const at::Tensor> samples) {
  const auto width = static_cast<std::int64_t>(order.size());
  std::vector<std::int64_t> left_out;
  for (const std::int64_t count : removals)
    if (count < width) left_out.push_back(count);
  std::vector<std::vector<double>> values(left_out.size());
  for (const at::Tensor& sample : samples) {
    const std::int64_t rows = sample.size(0);
    const at::Tensor below = at::tril_indices(rows, rows, -1);
    const at::Tensor pairs = below[0] * rows + below[1];
    at::Tensor products = sample.matmul(sample.t());
    const at::Tensor with_all = cosines(products, pairs);
    std::int64_t removed = 0;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      // The part of these dimensions is subtracted from the products: cheaper than new products.
      const std::vector<std::int64_t> next(order.begin() + removed, order.begin() + left_out[i]);
      const at::Tensor columns = sample.index_select(1, at::tensor(next, at::kLong));
      products.addmm_(columns, columns.t(), 1, -1);
      removed = left_out[i];
      values[i].push_back(squared_correlation(with_all, cosines(products, pairs)));
    }
  }
  std::vector<Informativity> result;
  for (std::size_t i = 0; i < left_out.size(); ++i) result.push_back(summary(left_out[i], values[i]));
  return result;
}

}  // namespace gausscse
