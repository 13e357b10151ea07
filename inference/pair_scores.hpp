#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "inference/pair_similarities.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// Two rows of a matrix of embeddings.
struct RowPair {
  std::uint32_t first, second;
};

/// Pairs whose rows are copied at once, which bounds memory.
inline constexpr std::int64_t pairs_of_block = 4096;

/// Calls visit(begin, first, second) for blocks of pairs in their order, with the pairs from `begin` on: [pairs of
/// block, width] each. They are on the device of `embeddings`, to which the pairs are copied once.
void for_each_block(const at::Tensor& embeddings, std::span<const RowPair> pairs,
                    const std::function<void(std::int64_t, const at::Tensor&, const at::Tensor&)>& visit);

// Scores are computed on the device of the embeddings. A GPU sends a number of 8 bytes a pair to the host; its last
// bits differ from the CPU's.

/// Returns the cosine of each pair's rows, of which the first `width` columns count, in float64; that of a zero row is
/// 0.
std::vector<double> cosine_scores(const at::Tensor& embeddings, std::int64_t width, std::span<const RowPair> pairs);

/// Returns the similarity without a direction of each pair of Gaussians [mean | log_var], in float64 (released
/// program). It is the formula of `kind` in docs/similarities.md with the mean of both directions in place of one
/// divergence. For `per_dimension` and `joint` that mean is
///
///     (kl_d(p || q) + kl_d(q || p)) / 2 = (r + 1/r - 2 + (m_p - m_q)^2 (1/v_p + 1/v_q)) / 4,    r = v_p / v_q
///
/// Kinds without a direction, such as `wasserstein`, do not change.
std::vector<double> symmetric_scores(const at::Tensor& embeddings, Similarity kind, std::span<const RowPair> pairs);

/// Returns the similarities and distances of each pair's rows, on the CPU, of which the first `width` columns count, in
/// float64, next to `own`, those of the model. The cosine is that of scikit-learn, by which MTEB's are computed: 1 less
/// half the squared distance of the rows at length 1. So it is 1/2 where one row is zero, 1 where both are.
PairSimilarities pair_similarities(const at::Tensor& embeddings, std::int64_t width, std::span<const RowPair> pairs,
                                   std::vector<double> own);

}  // namespace gausscse
