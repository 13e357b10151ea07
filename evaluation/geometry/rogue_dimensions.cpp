#include "evaluation/geometry/rogue_dimensions.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
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

}  // namespace gausscse
