#pragma once

#include "model/kernels/cpu/contrastive.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Rows after the last one that tiles may read.
constexpr std::int64_t padding_rows = 4;

template <typename T>
std::int64_t count_rows(AllRows<T> rows) {
  std::int64_t sum = 0;
  for (const GaussianRows<T>& some : rows) sum += some.count;
  return sum;
}

/// Returns row `row` of all, [mean | log_var]; null behind the last one.
template <typename T>
const T* row_of(AllRows<T> rows, std::int64_t row, std::int64_t dimension) {
  for (const GaussianRows<T>& some : rows) {
    if (row < some.count) return some.rows + row * 2 * dimension;
    row -= some.count;
  }
  return nullptr;
}

template <typename T>
std::int64_t vectors_of(std::int64_t dimension) {
  return (dimension + VectorOf<T>::width - 1) / VectorOf<T>::width;
}

/// Finds the ranges over `rows`, of which there is at least one.
template <typename T>
void find_log_var_ranges(AllRows<T> rows, std::int64_t dimension, const LogVarRanges& ranges) {
  constexpr std::int64_t block = 64;
  const T* first = row_of(rows, 0, dimension);
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < dimension; begin += block) {
    const std::int64_t count = dimension - begin < block ? dimension - begin : block;
    T low[block], high[block];
    for (std::int64_t d = 0; d < count; ++d) low[d] = high[d] = first[dimension + begin + d];
    for (const GaussianRows<T>& some : rows) {
      for (std::int64_t i = 0; i < some.count; ++i) {
        const T* log_var = some.rows + i * 2 * dimension + dimension + begin;
#pragma omp simd
        for (std::int64_t d = 0; d < count; ++d) {
          low[d] = log_var[d] < low[d] ? log_var[d] : low[d];
          high[d] = log_var[d] > high[d] ? log_var[d] : high[d];
        }
      }
    }
    for (std::int64_t d = 0; d < count; ++d) {
      ranges.low.get()[begin + d] = static_cast<double>(low[d]);
      ranges.high.get()[begin + d] = static_cast<double>(high[d]);
    }
  }
}

/// Returns whether log-variances lie so far out, or apart where the similarity is free of scale, within a dimension
/// that products of variances and inverses leave float's range.
inline bool needs_double(const LogVarRanges& ranges, std::int64_t dimension, Similarity kind) {
  constexpr double most = 80;
  const bool is_scale_free = with_similarity<Math>(kind, [](auto of) { return decltype(of)::is_scale_free; });
  for (std::int64_t d = 0; d < dimension; ++d) {
    const double low = ranges.low.get()[d], high = ranges.high.get()[d];
    if (is_scale_free ? high - low > most : high > most || low < -most) return true;
  }
  return false;
}

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

template <typename T>
template <typename From>
GaussianPack<T>::GaussianPack(AllRows<From> rows, std::int64_t dimension, const LogVarRanges& ranges, Similarity kind)
    : data((count_rows(rows) + padding_rows) * vectors_of<T>(dimension) * PackedGaussians<T>::parts *
           VectorOf<T>::width),
      mean_scale(vectors_of<T>(dimension) * VectorOf<T>::width),
      gaussians{data.get(), mean_scale.get(), count_rows(rows) + padding_rows, vectors_of<T>(dimension), dimension} {
  with_similarity<Math>(kind, [&](auto of) { pack<decltype(of)>(rows, ranges); });
}

// A dimension whose log-variances l go from low to high over all rows of the pack is shifted by c:
//
//     k = round((low + high) / 2 / (2 ln 2)),   c = 2 k ln 2
//     l' = l - c,   v' = e^(l') = v 2^(-2k),   m' = m 2^(-k)
//
// A similarity that is free of scale depends on ratios alone, such as v_p / v_q and (m_p - m_q)^2 / v_q of KL. There
// 2^(-2k) cancels, so the shift changes no pair. It puts l' around 0. Then products of a variance and an inverse
// variance stay in the range of float, if high - low is not over the limit of needs_double. As c is a multiple of
// 2 ln 2, the factor of means is a power of two: m' is exact, and so are differences of near means. Other similarities
// have c = 0.
template <typename T>
template <typename S, typename From>
void GaussianPack<T>::pack(AllRows<From> rows, const LogVarRanges& ranges) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const std::int64_t vectors = gaussians.vectors, dimension = gaussians.dimension;
  constexpr double ln2 = 0.69314718055994530942;
  Buffer<double> center(vectors * width);
  for (std::int64_t d = 0; d < vectors * width; ++d) {
    const double mid = S::is_scale_free && d < dimension ? 0.5 * (ranges.low.get()[d] + ranges.high.get()[d]) : 0.0;
    const double exponent = std::nearbyint(mid / (2 * ln2));
    center.get()[d] = 2 * ln2 * exponent;
    mean_scale.get()[d] = static_cast<T>(std::exp2(-exponent));
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < gaussians.rows; ++row) {
    const From* from = row_of(rows, row, dimension);
    for (std::int64_t d = 0; d < vectors * width; ++d) {
      T* to = data.get() + ((row * vectors + d / width) * PackedGaussians<T>::parts) * width + d % width;
      if (!from || d >= dimension) {
        to[0] = to[3 * width] = T{0};
        to[width] = to[2 * width] = T{1};
        continue;
      }
      const double log_var = static_cast<double>(from[dimension + d]) - center.get()[d];
      to[0] = static_cast<T>(from[d]) * mean_scale.get()[d];
      to[width] = static_cast<T>(S::spread(log_var));
      // Inverse of the rounded spread: the ratio of equal variances is then as near 1 as can be.
      to[2 * width] = T{1} / to[width];
      to[3 * width] = static_cast<T>(log_var);
    }
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
