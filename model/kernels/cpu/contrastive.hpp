#pragma once

#include <cstdlib>
#include <new>
#include <span>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Anchors taken at once: bounds what is held of the similarity matrices to anchor_block values a candidate.
inline constexpr std::int64_t anchor_block = 128;

/// Memory for `count` values, aligned to cache lines.
template <typename T>
class Buffer {
 public:
  explicit Buffer(std::int64_t count) {
    const auto bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    data_ = static_cast<T*>(std::aligned_alloc(64, bytes));
    if (!data_) throw std::bad_alloc();
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return data_; }
  void clear(std::int64_t count) { std::memset(data_, 0, static_cast<std::size_t>(count) * sizeof(T)); }

 private:
  T* data_;
};

/// Rows of [mean | log_var] beside each other, 2*dimension wide, and where their gradient goes, if it is asked for.
template <typename T>
struct GaussianRows {
  const T* rows;
  std::int64_t count;
  T* gradient;
};

template <typename T>
using AllRows = std::span<const GaussianRows<T>>;

/// Lowest and highest log-variance of each dimension over some rows.
struct LogVarRanges {
  explicit LogVarRanges(std::int64_t dimension) : low(dimension), high(dimension) {}
  Buffer<double> low, high;
};

/// At least one row.
template <typename T>
void find_log_var_ranges(AllRows<T> rows, std::int64_t dimension, const LogVarRanges& ranges);

/// Whether log-variances spread so far within a dimension that products in float overflow.
bool needs_double(const LogVarRanges& ranges, std::int64_t dimension);

/// Rows as the contrastive kernels read them: [rows, vectors, 4] vectors, where the four are mean, variance, 1/variance
/// and log-variance.
///
/// In each dimension the log-variances are shifted by c, about their mid-range, and the means multiplied by e^(-c/2),
/// a power of two: the divergence does not change, and products of a variance and an inverse variance stay in range.
template <typename T>
struct PackedGaussians {
  const T* data;
  const T* mean_scale;  ///< e^(-c/2), [vectors * width]
  std::int64_t rows;    ///< with some behind the last one that tiles may read
  std::int64_t vectors;
  std::int64_t dimension;

  static constexpr std::int64_t parts = 4;
  const T* at(std::int64_t row, std::int64_t vector) const {
    return data + ((row * vectors + vector) * parts) * VectorOf<T>::width;
  }
};

/// Packed rows with their memory.
template <typename T>
struct GaussianPack {
  /// Packs rows of type `From`, one span behind the other, for computation in type `T`.
  template <typename From>
  GaussianPack(AllRows<From> rows, std::int64_t dimension, const LogVarRanges& ranges, SimilarityKind kind);

  Buffer<T> data, mean_scale;
  PackedGaussians<T> gaussians;
};

/// One of the similarity blocks of the loss: packed rows from `anchor` on (q of the divergence) against the
/// `candidates` packed rows from `candidate` on (p).
struct ContrastiveBlock {
  std::int64_t candidate, candidates;
  std::int64_t anchor;
};

/// similarities[i*stride + j] = sim(candidate j || anchor i), i < anchors, for all candidates of the block.
template <typename T>
void block_similarities(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        SimilarityKind kind, T* similarities, std::int64_t stride);

/// Sums over pairs that make the gradient of one side of the divergence, [vectors, rows, 3] vectors each.
template <typename T>
struct GradientSums {
  T* as_candidate;  ///< sums of w, w/var_q, w*(mean_p - mean_q)/var_q
  T* as_anchor;     ///< sums of w, w*(mean_p - mean_q), w*(var_p + (mean_p - mean_q)^2)
};

/// These sums with their memory, zero at first.
template <typename T>
struct GradientSumsOfRows {
  explicit GradientSumsOfRows(const PackedGaussians<T>& gaussians)
      : size(gaussians.rows * gaussians.vectors * 3 * VectorOf<T>::width),
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

/// Adds the pairs of a block to the sums. weights[i*stride + j] is the loss's derivative by the similarity times -4/d
/// for `per_dimension`, and its derivative by the divergence for `joint`.
template <typename T>
void add_block_gradient(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        SimilarityKind kind, const T* weights, std::int64_t stride, const GradientSums<T>& sums);

/// Turns the sums of the packed rows into gradients of [mean | log_var], overwriting those.
template <typename T, typename To>
void finish_gradient(const PackedGaussians<T>& gaussians, const GradientSums<T>& sums, AllRows<To> rows);

/// Turns derivatives of the loss by the similarities of one anchor into the weights that `add_block_gradient` takes.
/// `similarities` may be null for `per_dimension`.
template <typename T>
inline void apply_slopes(T* derivatives, const T* similarities, std::int64_t count, SimilarityKind kind,
                         std::int64_t dimension) {
  if (kind == SimilarityKind::joint) {
    // d sim / d kl = -sim^2
    for (std::int64_t j = 0; j < count; ++j) derivatives[j] *= -similarities[j] * similarities[j];
  } else {
    // d sim / d kl_d = -4 / (dimension * x^2), with x = 2 (1 + kl_d).
    const T slope = static_cast<T>(-4.0 / static_cast<double>(dimension));
    for (std::int64_t j = 0; j < count; ++j) derivatives[j] *= slope;
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
