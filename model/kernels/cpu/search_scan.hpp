#pragma once

#include <immintrin.h>

#include <cmath>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/search_kernels.hpp"
#include "model/similarities/list.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Relative error of SearchMath::reciprocal of float.
#if defined(__AVX512F__)
constexpr float reciprocal_error = 0x1p-14f;
#elif defined(__AVX2__)
constexpr float reciprocal_error = 0x1.8p-12f;
#else
constexpr float reciprocal_error = 0x1p-23f;
#endif

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// Arithmetic of the similarities' headers: `reciprocal` of float has the instruction's precision, which
/// `reciprocal_error` bounds.
struct SearchMath {
  static double exp(double x) { return std::exp(x); }
  static float exp(float x) { return exponential(x); }
  template <typename Real>
  static Real exp(const Real& x) {
    return exponentials<std::remove_cvref_t<decltype(x[0])>>(x);
  }
  template <typename Real>
  static Real log(const Real& x) {
    return logarithm<std::remove_cvref_t<decltype(x[0])>>(x);
  }
  static Register<float> reciprocal(const Register<float>& x) {
#if defined(__AVX512F__)
    return _mm512_maskz_rcp14_ps(0xFFFF, x);  // without a mask, g++ 12 warns of its own header
#elif defined(__AVX2__)
    return _mm256_rcp_ps(x);
#else
    return 1.0f / x;
#endif
  }
  template <typename Real>
  static Real reciprocal(const Real& x) {
    return 1.0f / x;
  }
};

static_assert(ArithmeticOf<SearchMath, Register<float>> && ArithmeticOf<SearchMath, Register<double>> &&
              ArithmeticOf<SearchMath, Vector<float>> && ArithmeticOf<SearchMath, Vector<double>>);

/// Rows of either side whose pairs are computed at once.
constexpr std::int64_t scan_tile_rows = 4;

/// Packs a row in vectors of [mean, spread, inverse, log_var], 64 bytes each, as PackedSide has them; the standard
/// Gaussian where `mean` is null. Returns the mean absolute log-variance.
template <typename T, typename S>
double pack_row(const float* mean, std::int64_t dimension, T* packed) {
  constexpr std::int64_t width = VectorOf<T>::width;
  double magnitude = 0;
  for (std::int64_t begin = 0; begin < dimension; begin += width, packed += 4 * width) {
    T means[width] = {}, log_vars[width] = {};
    for (std::int64_t i = 0; mean && i < smaller(width, dimension - begin); ++i) {
      means[i] = static_cast<T>(mean[begin + i]);
      log_vars[i] = static_cast<T>(mean[dimension + begin + i]);
      magnitude += std::abs(static_cast<double>(log_vars[i]));
    }
    const Vector<T> log_var = load(log_vars), spread = S::spread(log_var);
    store(packed, load(means));
    store(packed + width, spread);
    store(packed + 2 * width, 1.0f / spread);
    store(packed + 3 * width, log_var);
  }
  return magnitude / static_cast<double>(dimension);
}

/// Packs rows for `scan`; see SearchKernels.
inline void pack_gaussians(const EmbeddedRows& rows, Similarity similarity, float* packed, float* mean_log_vars) {
  with_similarity<SearchMath>(similarity, [&](auto of) {
    using S = decltype(of);
    using T = std::conditional_t<BoundedInFloat<S>, float, double>;
    const std::int64_t dimension = rows.width / 2,
                       floats = scan_floats(scan_tile_rows, dimension, similarity) / scan_tile_rows,
                       padded_rows = (rows.count + scan_tile_rows - 1) / scan_tile_rows * scan_tile_rows;
    for (std::int64_t r = 0; r < padded_rows; ++r) {
      const float* mean = r < rows.count ? rows.rows + r * rows.width : nullptr;
      const double magnitude = pack_row<T, S>(mean, dimension, reinterpret_cast<T*>(packed + r * floats));
      if (mean) mean_log_vars[r] = static_cast<float>(magnitude);
    }
  });
}

/// Returns a register of dimensions of a packed row.
template <typename T>
inline Gaussian<Register<T>> load_gaussian(const T* packed) {
  constexpr std::int64_t width = VectorOf<T>::width, lanes = RegisterOf<T>::width;
  return {load_some(packed, lanes), load_some(packed + width, lanes), load_some(packed + 2 * width, lanes),
          load_some(packed + 3 * width, lanes)};
}

/// Sums of a tile of pairs, a square, over `dimension` dimensions; `stride` is the length of a packed row.
template <typename T, typename S>
inline void scan_tile(const T* p, const T* q, std::int64_t dimension, std::int64_t stride,
                      T (&sums)[scan_tile_rows][scan_tile_rows]) {
  constexpr std::int64_t width = VectorOf<T>::width, lanes = RegisterOf<T>::width;
  Register<T> totals[scan_tile_rows][scan_tile_rows] = {};
  const auto add = [&](std::int64_t begin, const auto& term) {
    for (std::int64_t part = 0; part < width; part += lanes) {
      const std::int64_t at = begin * 4 + part;
      Gaussian<Register<T>> anchors[scan_tile_rows];
      for (std::int64_t j = 0; j < scan_tile_rows; ++j) anchors[j] = load_gaussian(q + j * stride + at);
      for (std::int64_t i = 0; i < scan_tile_rows; ++i) {
        const Gaussian<Register<T>> candidate = load_gaussian(p + i * stride + at);
        for (std::int64_t j = 0; j < scan_tile_rows; ++j)
          totals[i][j] += term(S::term(S::divergence(candidate, anchors[j])), part);
      }
    }
  };
  std::int64_t begin = 0;
  for (; begin + width <= dimension; begin += width)
    add(begin, [](const Register<T>& terms, std::int64_t) { return terms; });
  if (begin < dimension) {
    // Dimensions that only fill the last vector add nothing.
    T filled[width] = {};
    for (std::int64_t i = 0; i < dimension - begin; ++i) filled[i] = 1;
    add(begin, [&](const Register<T>& terms, std::int64_t part) { return terms * load_some(filled + part, lanes); });
  }
  for (std::int64_t i = 0; i < scan_tile_rows; ++i)
    for (std::int64_t j = 0; j < scan_tile_rows; ++j) sums[i][j] = horizontal_sum<T>(totals[i][j]);
}

/// Computes the pairs of a scan in T, by tiles.
template <typename T, typename S>
void scan_by(const PackedSide& p, const PackedSide& q, std::int64_t dimension, std::int64_t stride,
             const ScanValues& out) {
  constexpr std::int64_t rows_in_cache = 32;
  const T *const of_p = reinterpret_cast<const T*>(p.rows), *const of_q = reinterpret_cast<const T*>(q.rows);
  for (std::int64_t block = 0; block < p.count; block += rows_in_cache) {
    for (std::int64_t j = 0; j < q.count; j += scan_tile_rows) {
      for (std::int64_t i = block; i < smaller(block + rows_in_cache, p.count); i += scan_tile_rows) {
        T sums[scan_tile_rows][scan_tile_rows];
        scan_tile<T, S>(of_p + i * stride, of_q + j * stride, dimension, stride, sums);
        for (std::int64_t a = 0; a < smaller(scan_tile_rows, p.count - i); ++a)
          for (std::int64_t b = 0; b < smaller(scan_tile_rows, q.count - j); ++b)
            out.values[(i + a) * out.stride_p + (j + b) * out.stride_q] =
                -static_cast<float>(S::similarity(sums[a][b], static_cast<T>(dimension)));
      }
    }
  }
}

/// Computes the similarities of all pairs, in float or in double (see scans_in_float); see SearchKernels.
inline void scan(const PackedSide& p, const PackedSide& q, std::int64_t dimension, Similarity similarity,
                 const ScanValues& out) {
  with_similarity<SearchMath>(similarity, [&](auto of) {
    using S = decltype(of);
    using T = std::conditional_t<BoundedInFloat<S>, float, double>;
    const auto floats = static_cast<std::int64_t>(sizeof(T) / sizeof(float));
    scan_by<T, S>(p, q, dimension, scan_floats(scan_tile_rows, dimension, similarity) / (scan_tile_rows * floats), out);
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
