#pragma once

#include "model/kernels/cpu/contrastive.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

constexpr std::int64_t tile = 4;

/// Sums of the summands over dimensions for a tile of `tile` x `tile` pairs.
template <typename T, typename S>
void tile_sums(const PackedGaussians<T>& gaussians, std::int64_t first_candidate, std::int64_t first_anchor,
               T (&sums)[tile][tile]) {
  using Anchor = typename S::template Anchor<Vector<T>>;
  Vector<T> total[tile][tile] = {};
  for (std::int64_t v = 0; v < gaussians.vectors; ++v) {
    Anchor anchors[tile];
    for (std::int64_t i = 0; i < tile; ++i) anchors[i] = S::anchor(gaussians.gaussian(first_anchor + i, v));
    for (std::int64_t j = 0; j < tile; ++j) {
      const auto candidate = S::candidate(gaussians.gaussian(first_candidate + j, v));
      for (std::int64_t i = 0; i < tile; ++i) total[i][j] += S::summand(candidate, anchors[i]);
    }
  }
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j) sums[i][j] = horizontal_sum<T>(total[i][j]);
}

template <typename T, typename S>
void similarities_by(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                     T* similarities, std::int64_t stride) {
  const std::int64_t anchor_tiles = (anchors + tile - 1) / tile;
  const std::int64_t candidate_tiles = (block.candidates + tile - 1) / tile;
  const T dimension = static_cast<T>(gaussians.dimension);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t a = 0; a < anchor_tiles; ++a) {
    for (std::int64_t c = 0; c < candidate_tiles; ++c) {
      T sums[tile][tile];
      // Rows past the end of a block are other rows, or padding rows, of the same buffer: computed and not used.
      tile_sums<T, S>(gaussians, block.candidate + c * tile, block.anchor + a * tile, sums);
      for (std::int64_t i = 0; i < tile && a * tile + i < anchors; ++i) {
        for (std::int64_t j = 0; j < tile && c * tile + j < block.candidates; ++j) {
          similarities[(a * tile + i) * stride + c * tile + j] = S::similarity(sums[i][j], dimension);
        }
      }
    }
  }
}

/// Writes similarities[i*stride + j] = sim(candidate j || anchor i), i < anchors, for all candidates of the block.
template <typename T>
void block_similarities(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        Similarity kind, T* similarities, std::int64_t stride) {
  with_similarity<Math>(
      kind, [&](auto of) { similarities_by<T, decltype(of)>(gaussians, block, anchors, similarities, stride); });
}

template <typename T>
void similarity(const KernelContext&, const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                Similarity kind, float* result) {
  with_similarity<Math>(kind, [&](auto of) {
    using S = decltype(of);
    // In double, and from log-variances: evaluation is a small part of a run, and any variance will do.
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < pairs; ++i) {
      const T *const p_row = p + i * 2 * dimension, *const q_row = q + i * 2 * dimension;
      double sum = 0;
      for (std::int64_t d = 0; d < dimension; ++d)
        sum += S::exact_summand(static_cast<double>(p_row[d]), static_cast<double>(p_row[dimension + d]),
                                static_cast<double>(q_row[d]), static_cast<double>(q_row[dimension + d]));
      result[i] = static_cast<float>(S::exact_similarity(sum, static_cast<double>(dimension)));
    }
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
