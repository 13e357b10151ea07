#include "model/kernels/search_kernels.hpp"

#include <immintrin.h>

#include <cmath>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/similarities/list.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// One register, as in classifier_kernels.cpp.
#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
constexpr float reciprocal_error = 0x1p-14f;
#elif defined(__AVX2__)
constexpr std::size_t register_bytes = 32;
constexpr float reciprocal_error = 0x1.8p-12f;
#else
constexpr std::size_t register_bytes = 16;
constexpr float reciprocal_error = 0x1p-23f;
#endif
typedef float Lanes __attribute__((vector_size(register_bytes)));
constexpr std::int64_t lanes = register_bytes / sizeof(float);

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

inline Lanes load_lanes(const float* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename Float>
inline float sum_of_lanes(const Float& value) {
  constexpr std::int64_t count = sizeof(Float) / sizeof(float);
  float of_lanes[count];
  std::memcpy(of_lanes, &value, sizeof value);
  for (std::int64_t half = count / 2; half > 0; half /= 2)
    for (std::int64_t i = 0; i < half; ++i) of_lanes[i] += of_lanes[i + half];
  return of_lanes[0];
}

/// Arithmetic of the similarities' headers: `reciprocal` has the instruction's precision, which `reciprocal_error`
/// bounds.
struct SearchMath {
  static double exp(double x) { return std::exp(x); }
  static float exp(float x) { return exponential(x); }
  static Vector<float> exp(const Vector<float>& x) { return exponential(x); }
  static Lanes reciprocal(const Lanes& x) {
#if defined(__AVX512F__)
    return _mm512_maskz_rcp14_ps(0xFFFF, x);  // without a mask, g++ 12 warns of its own header
#elif defined(__AVX2__)
    return _mm256_rcp_ps(x);
#else
    return 1.0f / x;
#endif
  }
};

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
  float sum() const { return sum_of_lanes(of_vectors) + of_rest; }
};

template <typename S>
void gaussian_factors(const EmbeddedRows& rows, const float* center, PairSide side, const ProductFactors& out) {
  const std::int64_t dimension = rows.width / 2;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* mean = rows.rows + r * rows.width;
    float* factors = out.factors + r * rows.width;
    SumOfDimensions rest, magnitude, square;
    for_each_dimension(dimension, [&](std::int64_t d, auto real) {
      using Real = decltype(real);
      const Real difference = load_as<Real>(mean + d) - load_as<Real>(center + d);
      const Real log_var = load_as<Real>(mean + dimension + d);
      const ProductTerms<Real> terms =
          side == PairSide::p ? S::as_p(difference, log_var) : S::as_q(difference, log_var);
      std::memcpy(factors + d, &terms.first, sizeof(Real));
      std::memcpy(factors + dimension + d, &terms.second, sizeof(Real));
      rest.add(terms.rest);
      magnitude.add(terms.magnitude);
      square.add(terms.first * terms.first + terms.second * terms.second);
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
    if constexpr (S::is_inner_product) gaussian_factors<S>(rows, center, side, out);
  });
}

// The scan of per_dimension.

using Scanned = PerDimension<SearchMath>;
constexpr std::int64_t packed_width = VectorOf<float>::width, packed_parts = 3, tile = 4;

void pack_per_dimension(const EmbeddedRows& rows, PairSide side, float* packed, float* mean_log_vars) {
  const std::int64_t dimension = rows.width / 2, vectors = (dimension + packed_width - 1) / packed_width;
  for (std::int64_t r = 0; r < (rows.count + tile - 1) / tile * tile; ++r) {
    const float* mean = rows.rows + r * rows.width;
    double magnitude = 0;
    for (std::int64_t v = 0; v < vectors; ++v, packed += packed_parts * packed_width) {
      const std::int64_t filled = r >= rows.count ? 0 : smaller(packed_width, dimension - v * packed_width);
      float means[packed_width] = {}, log_vars[packed_width] = {};
      for (std::int64_t i = 0; i < filled; ++i) {
        means[i] = mean[v * packed_width + i];
        log_vars[i] = mean[dimension + v * packed_width + i];
        magnitude += static_cast<double>(std::abs(log_vars[i]));
      }
      const Vector<float> log_var = load(log_vars), inverse = SearchMath::exp(-log_var);
      float spreads[packed_width];
      store(spreads, SearchMath::exp(log_var));
      // A padded dimension must add nothing.
      for (std::int64_t i = filled; i < packed_width; ++i) spreads[i] = Scanned::spread_of_padding;
      const Gaussian<Vector<float>> gaussian{load(means), load(spreads), inverse, log_var};
      if (side == PairSide::p) {
        const auto p = Scanned::candidate(gaussian);
        store(packed, p.mean);
        store(packed + packed_width, p.spread);
        store(packed + 2 * packed_width, p.log_var);
      } else {
        const auto q = Scanned::anchor(gaussian);
        store(packed, q.mean);
        store(packed + packed_width, q.inverse);
        store(packed + 2 * packed_width, q.offset);
      }
    }
    if (r < rows.count) mean_log_vars[r] = static_cast<float>(magnitude / static_cast<double>(dimension));
  }
}

/// Sums of a tile of tile x tile pairs; `floats` is the length of a packed row.
inline void scan_tile(const float* p, const float* q, std::int64_t floats, float (&sums)[tile][tile]) {
  Lanes totals[tile][tile] = {};
  for (std::int64_t begin = 0; begin < floats; begin += packed_parts * packed_width) {
    for (std::int64_t part = begin; part < begin + packed_width; part += lanes) {
      const auto part_of = [part](const float* row, std::int64_t number) {
        return load_lanes(row + part + number * packed_width);
      };
      Scanned::Anchor<Lanes> anchors[tile];
      for (std::int64_t j = 0; j < tile; ++j) {
        const float* row = q + j * floats;
        anchors[j] = {part_of(row, 0), part_of(row, 1), part_of(row, 2)};
      }
      for (std::int64_t i = 0; i < tile; ++i) {
        const float* row = p + i * floats;
        const Scanned::Candidate<Lanes> candidate{part_of(row, 0), part_of(row, 1), part_of(row, 2)};
        for (std::int64_t j = 0; j < tile; ++j) totals[i][j] += Scanned::summand(candidate, anchors[j]);
      }
    }
  }
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t j = 0; j < tile; ++j) sums[i][j] = sum_of_lanes(totals[i][j]);
}

void per_dimension(const PackedSide& p, const PackedSide& q, std::int64_t dimension, std::int64_t stride_p,
                   std::int64_t stride_q, float* values) {
  constexpr std::int64_t rows_in_cache = 32;
  const std::int64_t floats = per_dimension_floats(1, dimension) / tile;
  for (std::int64_t block = 0; block < p.count; block += rows_in_cache) {
    for (std::int64_t j = 0; j < q.count; j += tile) {
      for (std::int64_t i = block; i < smaller(block + rows_in_cache, p.count); i += tile) {
        float sums[tile][tile];
        scan_tile(p.rows + i * floats, q.rows + j * floats, floats, sums);
        for (std::int64_t a = 0; a < smaller(tile, p.count - i); ++a)
          for (std::int64_t b = 0; b < smaller(tile, q.count - j); ++b)
            values[(i + a) * stride_p + (j + b) * stride_q] =
                -Scanned::similarity(sums[a][b], static_cast<float>(dimension));
      }
    }
  }
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
  static constexpr SearchKernels kernels{all_within,       product_factors, pack_per_dimension, per_dimension,
                                         reciprocal_error, lower_bounds,    rows_within};
  return kernels;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
