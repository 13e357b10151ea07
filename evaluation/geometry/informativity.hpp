#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Information in the similarities of tokens without the dimensions that contribute most (the paper's table 3): the
/// squared Pearson correlation of the cosines of tokens of different sentences with all dimensions, and with the
/// `removed` first ones of an order left out, where norms are taken again.
struct Informativity {
  std::int64_t removed;
  double mean, deviation;  ///< over samples, the latter with n - 1; NaN for one sample
};

/// Returns the informativity without the first 1, 2, 3, 5, 10, 20, 50, 100, 300 and 700 dimensions of `order`, as far
/// as there are more. `samples` [tokens, width] in float64, at least one, each of at least three tokens.
std::vector<Informativity> informativity_without(std::span<const std::int64_t> order,
                                                 std::span<const at::Tensor> samples);

}  // namespace gausscse
