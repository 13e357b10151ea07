#pragma once

#include "model/kernels/cpu/contrastive.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Candidates taken at once, so that their rows and sums stay in the first-level cache.
constexpr std::int64_t candidate_block = 64;

/// Sums over pairs that the gradient of each row is made of, as candidate and as anchor: [vectors, rows, sums] vectors
/// each, where `sums` is the similarity's.
template <typename T>
struct GradientSums {
  T* as_candidate;
  T* as_anchor;
};

/// These sums with their memory, zero at first.
template <typename T>
struct GradientSumsOfRows {
  GradientSumsOfRows(const PackedGaussians<T>& gaussians, Similarity kind)
      : size(gaussians.rows * gaussians.vectors * VectorOf<T>::width *
             with_similarity<Math>(kind, [](auto of) { return decltype(of)::sums; })),
        candidate(size),
        anchor(size),
        sums{candidate.get(), anchor.get()} {
    candidate.clear(size);
    anchor.clear(size);
  }

  std::int64_t size;
  Buffer<T> candidate, anchor;
  GradientSums<T> sums;
};

/// Adds a block's pairs to the sums of one column of vectors.
template <typename T, typename S>
void add_column(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                std::int64_t vector, const T* weights, std::int64_t stride, const GradientSums<T>& sums) {
  constexpr std::int64_t width = VectorOf<T>::width, row_width = S::sums * width;
  for (std::int64_t first = 0; first < block.candidates; first += candidate_block) {
    const std::int64_t count = block.candidates - first < candidate_block ? block.candidates - first : candidate_block;
    // Copied together from rows that lie far apart.
    Gaussian<Vector<T>> candidates[candidate_block];
    Vector<T> of_candidates[candidate_block][S::sums];
    T* candidate_sums = sums.as_candidate + (vector * gaussians.rows + block.candidate + first) * row_width;
    for (std::int64_t j = 0; j < count; ++j) {
      candidates[j] = gaussians.gaussian(block.candidate + first + j, vector);
      for (std::int64_t k = 0; k < S::sums; ++k) of_candidates[j][k] = load(candidate_sums + j * row_width + k * width);
    }
    for (std::int64_t i = 0; i < anchors; ++i) {
      const Gaussian<Vector<T>> anchor = gaussians.gaussian(block.anchor + i, vector);
      T* anchor_sums = sums.as_anchor + (vector * gaussians.rows + block.anchor + i) * row_width;
      Vector<T> of_anchor[S::sums];
      for (std::int64_t k = 0; k < S::sums; ++k) of_anchor[k] = load(anchor_sums + k * width);
      const T* weight_row = weights + i * stride + first;
      for (std::int64_t j = 0; j < count; ++j) {
        const auto pair = S::pair_sums(candidates[j], anchor, weight_row[j]);
        for (std::int64_t k = 0; k < S::sums; ++k) {
          of_candidates[j][k] += pair.of_p[k];
          of_anchor[k] += pair.of_q[k];
        }
      }
      for (std::int64_t k = 0; k < S::sums; ++k) store(anchor_sums + k * width, of_anchor[k]);
    }
    for (std::int64_t j = 0; j < count; ++j)
      for (std::int64_t k = 0; k < S::sums; ++k) store(candidate_sums + j * row_width + k * width, of_candidates[j][k]);
  }
}

/// Turns the sums of the packed rows into gradients.
template <typename T, typename S, typename To>
void finish_gradient_by(const PackedGaussians<T>& gaussians, const GradientSums<T>& sums, AllRows<To> rows) {
  constexpr std::int64_t width = VectorOf<T>::width, row_width = S::sums * width;
  const std::int64_t dimension = gaussians.dimension;
  std::int64_t first = 0;
  for (const GaussianRows<To>& some : rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < some.count; ++i) {
      const std::int64_t row = first + i;
      To* out = some.gradient + i * 2 * dimension;
      for (std::int64_t vector = 0; vector < gaussians.vectors; ++vector) {
        const T* candidate = sums.as_candidate + (vector * gaussians.rows + row) * row_width;
        const T* anchor = sums.as_anchor + (vector * gaussians.rows + row) * row_width;
        const T* packed = gaussians.at(row, vector);
        for (std::int64_t lane = 0; lane < width; ++lane) {
          const std::int64_t d = vector * width + lane;
          if (d >= dimension) break;
          T as_candidate[S::sums], as_anchor[S::sums];
          for (std::int64_t k = 0; k < S::sums; ++k) {
            as_candidate[k] = candidate[k * width + lane];
            as_anchor[k] = anchor[k * width + lane];
          }
          const Gaussian<T> gaussian{packed[lane], packed[width + lane], packed[2 * width + lane],
                                     packed[3 * width + lane]};
          const RowGradient<T> gradient = S::row_gradient(gaussian, as_candidate, as_anchor);
          out[d] = static_cast<To>(gradient.mean * gaussians.mean_scale[d]);
          out[dimension + d] = static_cast<To>(gradient.log_var);
        }
      }
    }
    first += some.count;
  }
}

/// Adds the pairs of a block to the sums. weights[i*stride + j] is the loss's derivative by the similarity, times the
/// similarity's slope.
template <typename T>
void add_block_gradient(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        Similarity kind, const T* weights, std::int64_t stride, const GradientSums<T>& sums) {
  with_similarity<Math>(kind, [&](auto of) {
  // A thread owns whole columns: no two write the same sum, and the order of additions is fixed.
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t vector = 0; vector < gaussians.vectors; ++vector)
      add_column<T, decltype(of)>(gaussians, block, anchors, vector, weights, stride, sums);
  });
}

/// Turns the sums of the packed rows into gradients of [mean | log_var], overwriting those.
template <typename T, typename To>
void finish_gradient(const PackedGaussians<T>& gaussians, Similarity kind, const GradientSums<T>& sums,
                     AllRows<To> rows) {
  with_similarity<Math>(kind, [&](auto of) { finish_gradient_by<T, decltype(of)>(gaussians, sums, rows); });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
