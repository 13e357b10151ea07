#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Returns the best `top` rows of each query by the formulas of the papers, in float64, over all pairs.
std::vector<std::vector<SearchHit>> brute_force_hits(const at::Tensor& queries, const at::Tensor& rows,
                                                     Similarity similarity, SearchDirection direction, std::size_t top);

/// Returns random rows of [mean | log_var]: means are uniform within `mean_width` about 0, log-variances between
/// `lowest` and `highest`.
at::Tensor random_gaussians(std::int64_t rows, std::int64_t dimension, std::uint64_t seed, float mean_width = 1,
                            float lowest = -3, float highest = 1);

/// Queries and rows that float32 has trouble with.
struct AdversarialRows {
  std::string name;
  at::Tensor queries, rows;
};
std::vector<AdversarialRows> adversarial_rows();

/// Returns a vector of length 1, [1, 192], whose first number is nearly 1 and whose others have squares just under
/// 2^-25, half a unit in the last place of the first one's square.
at::Tensor rows_of_lost_products();

/// Expects equal rows in equal order, and similarities that differ by rounding of float64 alone.
void expect_hits(const std::vector<std::vector<SearchHit>>& hits, const std::vector<std::vector<SearchHit>>& expected);

}  // namespace gausscse
