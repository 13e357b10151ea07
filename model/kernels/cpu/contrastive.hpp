#pragma once

#include <cstdlib>
#include <new>
#include <span>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/kernels.hpp"
#include "model/similarities/list.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Anchors taken at once: this bounds the part of the similarity matrices in memory to anchor_block values a candidate.
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

/// Arithmetic of numbers and vectors with this instruction set, for the similarities' headers.
struct Math {
  static double exp(double x) { return std::exp(x); }
  template <typename Real>
  static Real exp(const Real& x) {
    return exponentials<std::remove_cvref_t<decltype(x[0])>>(x);
  }
  static double log(double x) { return std::log(x); }
  template <typename Real>
  static Real log(const Real& x) {
    return logarithm<std::remove_cvref_t<decltype(x[0])>>(x);
  }
  template <typename Real>
  static Real reciprocal(const Real& x) {
    return 1.0f / x;
  }
};

static_assert(ArithmeticOf<Math, double> && ArithmeticOf<Math, Vector<float>> && ArithmeticOf<Math, Vector<double>>);

/// Rows as the contrastive kernels read them: [rows, vectors, 4] vectors, where the four are those of Gaussian: mean,
/// spread, 1/spread and log-variance.
///
/// For a similarity that is free of scale, the log-variances of each dimension are shifted by c, about their mid-range,
/// and the means multiplied by e^(-c/2), a power of two. The divergence does not change: with m' = m e^(-c/2) and v' =
/// v e^-c, both v_p / v_q and (m_p - m_q)^2 / v_q keep their values. Products of a variance and an inverse variance
/// stay in range.
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

/// One of the similarity blocks of the loss: packed rows from `anchor` on (q of the divergence) against the
/// `candidates` packed rows from `candidate` on (p).
struct ContrastiveBlock {
  std::int64_t candidate, candidates;
  std::int64_t anchor;
};

/// Turns derivatives of the loss by the similarities of one anchor into the weights that `add_block_gradient` takes.
template <typename T>
inline void apply_slopes(T* derivatives, const T* similarities, std::int64_t count, Similarity kind,
                         std::int64_t dimension) {
  with_similarity<Math>(kind, [&](auto of) {
    using S = decltype(of);
    for (std::int64_t j = 0; j < count; ++j)
      derivatives[j] *= S::slope(similarities[j], static_cast<double>(dimension));
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
