#include "model/kernels/cpu/contrastive.hpp"
#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

constexpr std::int64_t tile = 4;

/// Sums over dimensions for a tile of `tile` x `tile` pairs. With x = (var_p + (mean_p - mean_q)^2) / var_q
/// - log_var_p + log_var_q = 2 kl + 1, per_dimension sums 1/(x + 1) and joint sums x - 1 = 2 kl.
template <typename T, SimilarityKind kind>
void tile_sums(const PackedGaussians<T>& gaussians, std::int64_t first_candidate, std::int64_t first_anchor,
               T (&sums)[tile][tile]) {
  constexpr std::int64_t width = VectorOf<T>::width;
  Vector<T> total[tile][tile] = {};
  for (std::int64_t v = 0; v < gaussians.vectors; ++v) {
    Vector<T> mean_q[tile], inverse_q[tile], offset_q[tile];
    for (std::int64_t i = 0; i < tile; ++i) {
      const T* anchor = gaussians.at(first_anchor + i, v);
      mean_q[i] = load(anchor);
      inverse_q[i] = load(anchor + 2 * width);
      offset_q[i] = load(anchor + 3 * width) + (kind == SimilarityKind::per_dimension ? T{1} : T{-1});
    }
    for (std::int64_t j = 0; j < tile; ++j) {
      const T* candidate = gaussians.at(first_candidate + j, v);
      const Vector<T> mean_p = load(candidate);
      const Vector<T> variance_p = load(candidate + width);
      const Vector<T> log_var_p = load(candidate + 3 * width);
      for (std::int64_t i = 0; i < tile; ++i) {
        const Vector<T> difference = mean_p - mean_q[i];
        const Vector<T> x = (variance_p + difference * difference) * inverse_q[i] + (offset_q[i] - log_var_p);
        if constexpr (kind == SimilarityKind::per_dimension)
          total[i][j] += T{1} / x;
        else
          total[i][j] += x;
      }
    }
  }
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j) sums[i][j] = horizontal_sum<T>(total[i][j]);
}

template <typename T, SimilarityKind kind>
void similarities_of_kind(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                          T* similarities, std::int64_t stride) {
  const std::int64_t anchor_tiles = (anchors + tile - 1) / tile;
  const std::int64_t candidate_tiles = (block.candidates + tile - 1) / tile;
  const T dimension = static_cast<T>(gaussians.dimension);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t a = 0; a < anchor_tiles; ++a) {
    for (std::int64_t c = 0; c < candidate_tiles; ++c) {
      T sums[tile][tile];
      // Rows past the end of a block are other rows, or padding rows, of the same buffer: computed and not used.
      tile_sums<T, kind>(gaussians, block.candidate + c * tile, block.anchor + a * tile, sums);
      for (std::int64_t i = 0; i < tile && a * tile + i < anchors; ++i) {
        for (std::int64_t j = 0; j < tile && c * tile + j < block.candidates; ++j) {
          const T value = kind == SimilarityKind::per_dimension ? T{2} * sums[i][j] / dimension
                                                                : T{1} / (T{1} + T{0.5} * sums[i][j]);
          similarities[(a * tile + i) * stride + c * tile + j] = value;
        }
      }
    }
  }
}

}  // namespace

template <typename T>
void block_similarities(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        SimilarityKind kind, T* similarities, std::int64_t stride) {
  if (kind == SimilarityKind::per_dimension)
    similarities_of_kind<T, SimilarityKind::per_dimension>(gaussians, block, anchors, similarities, stride);
  else
    similarities_of_kind<T, SimilarityKind::joint>(gaussians, block, anchors, similarities, stride);
}

template <typename T>
void similarity(const T* p, const T* q, std::int64_t pairs, std::int64_t dimension, SimilarityKind kind,
                float* result) {
  // In double, and from log-variances' differences: evaluation is a small part of a run, and robust for any variance.
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < pairs; ++i) {
    const T *const p_row = p + i * 2 * dimension, *const q_row = q + i * 2 * dimension;
    double sum = 0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      const double log_ratio = static_cast<double>(p_row[dimension + d]) - static_cast<double>(q_row[dimension + d]);
      const double difference = static_cast<double>(p_row[d]) - static_cast<double>(q_row[d]);
      const double inverse = std::exp(-static_cast<double>(q_row[dimension + d]));
      const double divergence = 0.5 * (std::exp(log_ratio) + difference * difference * inverse - 1.0 - log_ratio);
      sum += kind == SimilarityKind::per_dimension ? 1.0 / (1.0 + divergence) : divergence;
    }
    result[i] = static_cast<float>(kind == SimilarityKind::per_dimension ? sum / static_cast<double>(dimension)
                                                                         : 1.0 / (1.0 + sum));
  }
}

#define INSTANTIATE(T)                                                                                  \
  template void block_similarities<T>(const PackedGaussians<T>&, const ContrastiveBlock&, std::int64_t, \
                                      SimilarityKind, T*, std::int64_t);                                \
  template void similarity<T>(const T*, const T*, std::int64_t, std::int64_t, SimilarityKind, float*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace gausscse::kernels::GAUSSCSE_ISA
