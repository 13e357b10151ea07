#pragma once

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// The rows of the roles (premise, entailment, contradiction) as the contrastive kernels read them:
/// [roles*batch, vectors, 4] vectors, where the four are mean, variance, 1/variance and log-variance.
///
/// In each dimension the log-variances are shifted by c, about their mid-range, and the means multiplied by e^(-c/2),
/// a power of two: the divergence does not change, and products of a variance and an inverse variance stay in range.
template <typename T>
struct PackedGaussians {
  const T* data;
  const T* mean_scale;  ///< e^(-c/2), [vectors * width]
  std::int64_t rows;
  std::int64_t vectors;
  std::int64_t dimension;

  static constexpr std::int64_t parts = 4;
  const T* at(std::int64_t row, std::int64_t vector) const {
    return data + ((row * vectors + vector) * parts) * VectorOf<T>::width;
  }
};

/// One of the similarity blocks of the loss: anchors of role `anchor` (q of the divergence) against all candidates of
/// role `candidate` (p). Roles: 0 premise, 1 entailment, 2 contradiction.
struct ContrastiveBlock {
  int candidate;
  int anchor;
};

/// similarities[i*stride + j] = sim(candidate j || anchor begin+i), i < anchors, for all candidates j < batch.
template <typename T>
void block_similarities(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t batch,
                        std::int64_t begin, std::int64_t anchors, SimilarityKind kind, T* similarities,
                        std::int64_t stride);

/// Sums over pairs that make the gradient of one side of the divergence, [vectors, rows, 3] vectors each.
template <typename T>
struct GradientSums {
  T* as_candidate;  ///< sums of w, w/var_q, w*(mean_p - mean_q)/var_q
  T* as_anchor;     ///< sums of w, w*(mean_p - mean_q), w*(var_p + (mean_p - mean_q)^2)
};

/// Adds the pairs of a block to the sums. weights[i*stride + j] is the loss's derivative by the similarity times -4/d
/// for `per_dimension`, and its derivative by the divergence for `joint`.
template <typename T>
void add_block_gradient(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t batch,
                        std::int64_t begin, std::int64_t anchors, SimilarityKind kind, const T* weights,
                        std::int64_t stride, const GradientSums<T>& sums);

/// Turns the sums of the first `rows` rows into gradients of [mean | log_var], overwriting those: `batch` rows of each
/// role.
template <typename T>
void finish_gradient(const PackedGaussians<T>& gaussians, const GradientSums<T>& sums, std::int64_t rows,
                     std::int64_t batch, T* const* gradient);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
