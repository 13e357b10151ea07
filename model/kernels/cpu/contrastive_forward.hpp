#pragma once

#include "model/kernels/cpu/contrastive.hpp"
#include "model/similarities/evaluation_forms.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

constexpr std::int64_t tile = 4;

/// Sums of the summands over dimensions for a tile of `tile` x `tile` pairs.
template <typename T, typename S>
void tile_sums(const PackedGaussians<T>& gaussians, std::int64_t first_candidate, std::int64_t first_anchor,
               T (&sums)[tile][tile]) {
  Vector<T> total[tile][tile] = {};
  const auto add = [&](std::int64_t v, const auto& term) {
    Gaussian<Vector<T>> anchors[tile];
    for (std::int64_t i = 0; i < tile; ++i) anchors[i] = gaussians.gaussian(first_anchor + i, v);
    for (std::int64_t j = 0; j < tile; ++j) {
      const Gaussian<Vector<T>> candidate = gaussians.gaussian(first_candidate + j, v);
      for (std::int64_t i = 0; i < tile; ++i) total[i][j] += term(S::term(S::divergence(candidate, anchors[i])));
    }
  };
  const std::int64_t full = gaussians.dimension / VectorOf<T>::width;
  for (std::int64_t v = 0; v < full; ++v) add(v, [](const Vector<T>& terms) { return terms; });
  if (full < gaussians.vectors) {
    // Dimensions that only fill the last vector add nothing.
    Vector<T> filled;
    for (std::int64_t lane = 0; lane < VectorOf<T>::width; ++lane)
      filled[lane] = full * VectorOf<T>::width + lane < gaussians.dimension ? T{1} : T{0};
    add(full, [&](const Vector<T>& terms) { return terms * filled; });
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
        sum += exact_term<S, Math>(static_cast<double>(p_row[d]), static_cast<double>(p_row[dimension + d]),
                                   static_cast<double>(q_row[d]), static_cast<double>(q_row[dimension + d]));
      result[i] = static_cast<float>(S::similarity(sum, static_cast<double>(dimension)));
    }
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
