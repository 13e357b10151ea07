#include "model/kernels/search_kernels.hpp"

#include <immintrin.h>

#include <cmath>

#include "model/kernels/cpu/vector.hpp"
#include "model/similarities/list.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

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

bool all_within(const float* values, std::int64_t count, float limit) {
  int outside = 0;
#pragma omp simd reduction(| : outside)
  for (std::int64_t i = 0; i < count; ++i) outside |= !(values[i] <= limit && values[i] >= -limit);
  return !outside;
}

/// Calls step(d, Vector<float>{}) for sixteen dimensions at a time, and step(d, float{}) for each that is left.
template <typename Step>
inline void for_each_dimension(std::int64_t dimension, const Step& step) {
  constexpr std::int64_t width = VectorOf<float>::width;
  std::int64_t d = 0;
  for (; d + width <= dimension; d += width) step(d, Vector<float>{});
  for (; d < dimension; ++d) step(d, float{});
}
template <typename Real>
inline Real load_as(const float* from) {
  Real value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Sums over dimensions: sixteen at a time, and the rest.
struct SumOfDimensions {
  Vector<float> of_vectors{};
  float of_rest = 0;
  void add(const Vector<float>& value) { of_vectors += value; }
  void add(float value) { of_rest += value; }
  float sum() const { return horizontal_sum<float>(of_vectors) + of_rest; }
};

template <typename S>
void gaussian_factors(const EmbeddedRows& rows, const float* center, PairSide side, const ProductFactors& out) {
  const std::int64_t dimension = rows.width / 2;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* mean = rows.rows + r * rows.width;
    float* factors = out.factors + r * dimension * S::products;
    SumOfDimensions rest, magnitude, square;
    for_each_dimension(dimension, [&](std::int64_t d, auto real) {
      using Real = decltype(real);
      const Real difference = load_as<Real>(mean + d) - load_as<Real>(center + d);
      const Real log_var = load_as<Real>(mean + dimension + d);
      const auto terms = side == PairSide::p ? S::as_p(difference, log_var) : S::as_q(difference, log_var);
      Real squares{};
      for (int k = 0; k < S::products; ++k) {
        std::memcpy(factors + k * dimension + d, &terms.factors[k], sizeof(Real));
        squares += terms.factors[k] * terms.factors[k];
      }
      rest.add(terms.rest);
      magnitude.add(terms.magnitude);
      square.add(squares);
    });
    out.rests[r] = rest.sum();
    out.magnitudes[r] = magnitude.sum();
    out.norms[r] = std::sqrt(square.sum());
  }
}

void unit_factors(const EmbeddedRows& rows, PairSide side, const ProductFactors& out) {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* row = rows.rows + r * rows.width;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < rows.width; ++i) square += static_cast<double>(row[i]) * static_cast<double>(row[i]);
    const double sign = side == PairSide::p ? 1 : -1, factor = square == 0 ? 0 : sign / std::sqrt(square);
#pragma omp simd
    for (std::int64_t i = 0; i < rows.width; ++i)
      out.factors[r * rows.width + i] = static_cast<float>(static_cast<double>(row[i]) * factor);
    out.norms[r] = 1;
  }
}

void product_factors(const EmbeddedRows& rows, const float* center, Similarity similarity, PairSide side,
                     const ProductFactors& out) {
  if (similarity == Similarity::cosine) return unit_factors(rows, side, out);
  with_similarity<SearchMath>(similarity, [&](auto of) {
    using S = decltype(of);
    if constexpr (InnerProduct<S>) gaussian_factors<S>(rows, center, side, out);
  });
}

// The scan: similarities of all pairs, in float or in double (see scans_in_float).

constexpr std::int64_t tile = 4;

/// Packs a row in vectors of [mean, spread, inverse, log_var], 64 bytes each, as PackedSide has them. Zeros where
/// `mean` is null. Returns the mean absolute log-variance.
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

void pack_gaussians(const EmbeddedRows& rows, Similarity similarity, float* packed, float* mean_log_vars) {
  with_similarity<SearchMath>(similarity, [&](auto of) {
    using S = decltype(of);
    using T = std::conditional_t<BoundedInFloat<S>, float, double>;
    const std::int64_t dimension = rows.width / 2, floats = scan_floats(tile, dimension, similarity) / tile;
    for (std::int64_t r = 0; r < (rows.count + tile - 1) / tile * tile; ++r) {
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

/// Sums of a tile of tile x tile pairs over `dimension` dimensions; `stride` is the length of a packed row.
template <typename T, typename S>
inline void scan_tile(const T* p, const T* q, std::int64_t dimension, std::int64_t stride, T (&sums)[tile][tile]) {
  constexpr std::int64_t width = VectorOf<T>::width, lanes = RegisterOf<T>::width;
  Register<T> totals[tile][tile] = {};
  const auto add = [&](std::int64_t begin, const auto& term) {
    for (std::int64_t part = 0; part < width; part += lanes) {
      const std::int64_t at = begin * 4 + part;
      Gaussian<Register<T>> anchors[tile];
      for (std::int64_t j = 0; j < tile; ++j) anchors[j] = load_gaussian(q + j * stride + at);
      for (std::int64_t i = 0; i < tile; ++i) {
        const Gaussian<Register<T>> candidate = load_gaussian(p + i * stride + at);
        for (std::int64_t j = 0; j < tile; ++j)
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
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j) sums[i][j] = horizontal_sum<T>(totals[i][j]);
}

template <typename T, typename S>
void scan_by(const PackedSide& p, const PackedSide& q, std::int64_t dimension, std::int64_t stride,
             const ScanValues& out) {
  constexpr std::int64_t rows_in_cache = 32;
  const T *const of_p = reinterpret_cast<const T*>(p.rows), *const of_q = reinterpret_cast<const T*>(q.rows);
  for (std::int64_t block = 0; block < p.count; block += rows_in_cache) {
    for (std::int64_t j = 0; j < q.count; j += tile) {
      for (std::int64_t i = block; i < smaller(block + rows_in_cache, p.count); i += tile) {
        T sums[tile][tile];
        scan_tile<T, S>(of_p + i * stride, of_q + j * stride, dimension, stride, sums);
        for (std::int64_t a = 0; a < smaller(tile, p.count - i); ++a)
          for (std::int64_t b = 0; b < smaller(tile, q.count - j); ++b)
            out.values[(i + a) * out.stride_p + (j + b) * out.stride_q] =
                -static_cast<float>(S::similarity(sums[a][b], static_cast<T>(dimension)));
      }
    }
  }
}

void scan(const PackedSide& p, const PackedSide& q, std::int64_t dimension, Similarity similarity,
          const ScanValues& out) {
  with_similarity<SearchMath>(similarity, [&](auto of) {
    using S = decltype(of);
    using T = std::conditional_t<BoundedInFloat<S>, float, double>;
    const auto floats = static_cast<std::int64_t>(sizeof(T) / sizeof(float));
    scan_by<T, S>(p, q, dimension, scan_floats(tile, dimension, similarity) / (tile * floats), out);
  });
}

void lower_bounds(const float* values, std::int64_t count, const BoundTerms& terms, bool raise, float* bounds) {
  const float *const offsets = terms.offsets, *const errors = terms.errors;
  const float query_offset = terms.query_offset, query_error = terms.query_error;
  if (raise) {
#pragma omp simd
    for (std::int64_t r = 0; r < count; ++r) {
      const float bound = values[r] + offsets[r] + query_offset - query_error * errors[r];
      bounds[r] = bound > bounds[r] ? bound : bounds[r];
    }
  } else {
#pragma omp simd
    for (std::int64_t r = 0; r < count; ++r)
      bounds[r] = values[r] + offsets[r] + query_offset - query_error * errors[r];
  }
}

std::int64_t rows_within(const float* bounds, std::int64_t count, float threshold, std::int32_t* rows) {
  constexpr std::int64_t step = 64;
  std::int64_t found = 0;
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const std::int64_t end = smaller(begin + step, count);
    int within = 0;
#pragma omp simd reduction(| : within)
    for (std::int64_t r = begin; r < end; ++r) within |= !(bounds[r] > threshold);
    if (!within) continue;
    for (std::int64_t r = begin; r < end; ++r)
      if (!(bounds[r] > threshold)) rows[found++] = static_cast<std::int32_t>(r);
  }
  return found;
}

}  // namespace

template <>
const SearchKernels& table() {
  static constexpr SearchKernels kernels{all_within,       product_factors, pack_gaussians, scan,
                                         reciprocal_error, lower_bounds,    rows_within};
  return kernels;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
