#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/geometry/layer_statistics.hpp"

namespace gausscse {

/// Dimensions by their share in the similarity of tokens.
struct RogueDimensions {
  std::vector<std::int64_t> order;  ///< dimensions, the largest contribution first
  std::vector<double> shares;       ///< shares of the similarity, in that order

  static constexpr std::array<double, 3> levels{0.1, 0.2, 0.5};
  /// Number of dimensions, in that order, that reach each level; 0 where all together do not.
  std::array<std::int64_t, levels.size()> reaching{};
};

/// Shares in the self-similarity of token ids, averaged over ids: for the sum s of an id's u over sentences
/// s_i^2 / |s|^2 (released notebook; the paper's table 1). They add up to 1. There must be an id.
RogueDimensions rogue_dimensions_of_ids(const LayerStatistics& layer);

/// Contributions to the exact anisotropy: ((sum of m_i)^2 - sum of m_i^2) / (S (S - 1)) (the paper's equation 4). They
/// add up to the anisotropy.
RogueDimensions rogue_dimensions_of_tokens(const LayerStatistics& layer);

/// Information in the similarities of tokens without the dimensions that contribute most (the paper's table 3). It is
/// the squared Pearson correlation of two sets of cosines, of tokens of different sentences: with all dimensions, and
/// without the `removed` first ones of an order, where norms are taken again.
struct Informativity {
  std::int64_t removed;
  double mean, deviation;  ///< over samples, the latter with n - 1; NaN for one sample
};

/// Returns the informativity without the first 1, 2, 3, 5, 10, 20, 50, 100, 300 and 700 dimensions of `order`, as far
/// as there are more. `samples` [tokens, width] in float64, at least one, each of at least three tokens.
std::vector<Informativity> informativity_without(std::span<const std::int64_t> order,
                                                 std::span<const at::Tensor> samples);

}  // namespace gausscse
