#pragma once

#include <cstdlib>
#include <new>
#include <span>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/kernels.hpp"
#include "model/kernels/similarities/list.hpp"

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

/// Rows of [mean | log_var] next to each other, 2*dimension wide, and where their gradient goes, if it is asked for.
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

/// Arithmetic of numbers and vectors with this instruction set, for the similarities' headers.
struct Math {
  static double exp(double x) { return std::exp(x); }
  template <typename Real>
  static Real reciprocal(const Real& x) {
    return 1.0f / x;
  }
};

/// Returns whether log-variances lie so far out, or apart, within a dimension that float overflows.
bool needs_double(const LogVarRanges& ranges, std::int64_t dimension, Similarity kind);

/// Rows as the contrastive kernels read them: [rows, vectors, 4] vectors, where the four are those of Gaussian: mean,
/// spread, 1/spread and log-variance.
///
/// For a similarity that is free of scale, the log-variances of each dimension are shifted by c, about their mid-range,
/// and the means multiplied by e^(-c/2), a power of two: the divergence does not change, and products of a variance and
/// an inverse variance stay in range.
template <typename T>
struct PackedGaussians {
  const T* data;
  const T* mean_scale;  ///< e^(-c/2), or 1, [vectors * width]
  std::int64_t rows;    ///< with some behind the last one that tiles may read
  std::int64_t vectors;
  std::int64_t dimension;

  static constexpr std::int64_t parts = 4;
  const T* at(std::int64_t row, std::int64_t vector) const {
    return data + ((row * vectors + vector) * parts) * VectorOf<T>::width;
  }
  Gaussian<Vector<T>> gaussian(std::int64_t row, std::int64_t vector) const {
    constexpr std::int64_t width = VectorOf<T>::width;
    const T* from = at(row, vector);
    return {load(from), load(from + width), load(from + 2 * width), load(from + 3 * width)};
  }
};

/// Packed rows with their memory.
template <typename T>
struct GaussianPack {
  /// Packs rows of type `From`, one span behind the other, for computation in type `T`.
  template <typename From>
  GaussianPack(AllRows<From> rows, std::int64_t dimension, const LogVarRanges& ranges, Similarity kind);

  Buffer<T> data, mean_scale;
  PackedGaussians<T> gaussians;

 private:
  template <typename S, typename From>
  void pack(AllRows<From> rows, const LogVarRanges& ranges);
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
                        Similarity kind, T* similarities, std::int64_t stride);

/// Sums over pairs that the gradient of each row is made of, as candidate and as anchor: [vectors, rows, sums] vectors
/// each, where `sums` is the similarity's, at most most_sums.
inline constexpr int most_sums = 3;
template <typename T>
struct GradientSums {
  T* as_candidate;
  T* as_anchor;
};

/// These sums with their memory, zero at first.
template <typename T>
struct GradientSumsOfRows {
  explicit GradientSumsOfRows(const PackedGaussians<T>& gaussians)
      : size(gaussians.rows * gaussians.vectors * most_sums * VectorOf<T>::width),
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

/// Adds the pairs of a block to the sums. weights[i*stride + j] is the loss's derivative by the similarity, times the
/// similarity's slope.
template <typename T>
void add_block_gradient(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        Similarity kind, const T* weights, std::int64_t stride, const GradientSums<T>& sums);

/// Turns the sums of the packed rows into gradients of [mean | log_var], overwriting those.
template <typename T, typename To>
void finish_gradient(const PackedGaussians<T>& gaussians, Similarity kind, const GradientSums<T>& sums,
                     AllRows<To> rows);

/// Turns derivatives of the loss by the similarities of one anchor into the weights that `add_block_gradient` takes.
/// `similarities` may be null where the slope does not need them.
template <typename T>
inline void apply_slopes(T* derivatives, const T* similarities, std::int64_t count, Similarity kind,
                         std::int64_t dimension) {
  with_similarity<Math>(kind, [&](auto of) {
    using S = decltype(of);
    for (std::int64_t j = 0; j < count; ++j)
      derivatives[j] *= S::slope(S::slope_needs_similarity ? similarities[j] : T{0}, static_cast<double>(dimension));
  });
}

inline bool slope_needs_similarity(Similarity kind) {
  return with_similarity<Math>(kind, [](auto of) { return decltype(of)::slope_needs_similarity; });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
