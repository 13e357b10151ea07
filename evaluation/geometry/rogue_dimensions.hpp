#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
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

}  // namespace gausscse
