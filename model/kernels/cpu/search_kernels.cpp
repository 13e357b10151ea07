#include "model/kernels/search_kernels.hpp"

#include <cmath>

#include "model/kernels/cpu/search_scan.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

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
