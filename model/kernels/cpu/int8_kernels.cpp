#include "model/kernels/int8_kernels.hpp"

#include <cmath>
#include <cstring>

#include "model/kernels/cpu/gelu.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// Adding it to a float of up to 2^22 rounds to the nearest whole number (ties to even), which is then in the low bits.
constexpr float to_whole_number = 12582912.0f;  // 1.5 * 2^23

/// Returns the whole number nearest to `value`, cut to [least, most]; `least` for NaN.
inline std::int32_t nearest_in(float value, float least, float most) {
  value = value > least ? value : least;
  value = value < most ? value : most;
  const float shifted = value + to_whole_number;
  std::int32_t bits, bits_of_zero;
  std::memcpy(&bits, &shifted, sizeof bits);
  std::memcpy(&bits_of_zero, &to_whole_number, sizeof bits_of_zero);
  return bits - bits_of_zero;
}

/// Least and largest value of a row, 0 among them. `not_finite` is NaN where a value is not finite, else 0.
struct Range {
  float least = 0.0f, most = 0.0f, not_finite = 0.0f;
};

template <typename ValueAt>
inline Range range_of(std::int64_t columns, const ValueAt& value_at) {
  float least = 0.0f, most = 0.0f, not_finite = 0.0f;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(+ : not_finite)
  for (std::int64_t c = 0; c < columns; ++c) {
    const float value = value_at(c);
    least = value < least ? value : least;
    most = value > most ? value : most;
    not_finite += value * 0.0f;
  }
  return {least, most, not_finite};
}

/// Writes row r, of which `value_at(c)` is column c.
template <typename ValueAt>
inline void quantise_row(std::int64_t columns, std::int64_t r, ByteRows out, const ValueAt& value_at) {
  const Range range = range_of(columns, value_at);
  const float scale = (range.most - range.least) / 255.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
  const float zero = static_cast<float>(nearest_in(-range.least * inverse, 0.0f, 255.0f));
  std::uint8_t* const to = out.bytes + r * out.stride;
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c)
    to[c] = static_cast<std::uint8_t>(nearest_in(value_at(c) * inverse + zero, 0.0f, 255.0f));
  std::memset(to + columns, 0, static_cast<std::size_t>(out.stride - columns));
  out.scales[r] = {scale + range.not_finite, zero};
}

void quantise(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, ByteRows out) {
  for (std::int64_t r = 0; r < rows; ++r)
    quantise_row(columns, r, out, [row = x + r * stride](std::int64_t c) { return value_of(row[c]); });
}

float quantise_channel(const float* weights, const float* factors, std::int64_t depth, std::int8_t* out) {
  const auto weight = [=](std::int64_t k) { return factors ? weights[k] / factors[k] : weights[k]; };
  float most = 0.0f, not_finite = 0.0f;
#pragma omp simd reduction(max : most) reduction(+ : not_finite)
  for (std::int64_t k = 0; k < depth; ++k) {
    const float value = weight(k), absolute = value < 0.0f ? -value : value;
    most = absolute > most ? absolute : most;
    not_finite += value * 0.0f;
  }
  const float scale = most / 127.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
#pragma omp simd
  for (std::int64_t k = 0; k < depth; ++k)
    out[k] = static_cast<std::int8_t>(nearest_in(weight(k) * inverse, -127.0f, 127.0f));
  return scale + not_finite;
}

void multiply(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
              const std::int8_t* panel, std::int32_t* out, std::int64_t out_stride, bool accumulate) {
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int32_t sums[int8_panel] = {};
    for (std::int64_t k = 0; k < depth; k += int8_group) {
      const std::uint8_t* const from = a + r * a_stride + k;
      const std::int32_t of_row[int8_group] = {from[0], from[1], from[2], from[3]};
      const std::int8_t* const of_panel = panel + k * int8_panel;
#pragma omp simd
      for (std::int64_t c = 0; c < int8_panel; ++c)
        for (std::int64_t i = 0; i < int8_group; ++i) sums[c] += of_row[i] * std::int32_t{of_panel[c * int8_group + i]};
    }
    std::int32_t* const to = out + r * out_stride;
#pragma omp simd
    for (std::int64_t c = 0; c < int8_panel; ++c) to[c] = accumulate ? to[c] + sums[c] : sums[c];
  }
}

/// One row of Int8Sums as float32.
class RowOfSums {
 public:
  RowOfSums(const Int8Sums& all, std::int64_t r)
      : sums_(all.sums + r * all.stride),
        scale_(all.row_scales[r].scale),
        zero_(static_cast<std::int32_t>(all.row_scales[r].zero)),
        column_scales_(all.column_scales),
        byte_sums_(all.byte_sums),
        bias_(all.bias) {}
  float operator[](std::int64_t c) const {
    return scale_ * column_scales_[c] * static_cast<float>(sums_[c] - zero_ * byte_sums_[c]) + bias_[c];
  }

 private:
  const std::int32_t* sums_;
  float scale_;
  std::int32_t zero_;
  const float* column_scales_;
  const std::int32_t* byte_sums_;
  const float* bias_;
};

void round_sums(const Int8Sums& y, Bfloat16* out, std::int64_t stride) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums row(y, r);
    Bfloat16* const to = out + r * stride;
#pragma omp simd
    for (std::int64_t c = 0; c < y.columns; ++c) put(row[c], to[c]);
  }
}

void gelu_sums(const Int8Sums& y, float* row, ByteRows out) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums sums(y, r);
#pragma omp simd
    for (std::int64_t c = 0; c < y.columns; ++c) row[c] = sums[c];
    for_each_register<float>(
        y.columns, [=](std::int64_t c, auto count) { store_some(row + c, gelu(load_some(row + c, count)), count); });
    quantise_row(y.columns, r, out, [=](std::int64_t c) { return row[c]; });
  }
}

/// Writes the layer norm of a row whose sum is `total`; the row is overwritten.
inline void normalize_row(float* row, float total, std::int64_t columns, std::int64_t r, const NormToBytes& norm) {
  const float mean = total / static_cast<float>(columns);
  float squares = 0.0f;
#pragma omp simd reduction(+ : squares)
  for (std::int64_t c = 0; c < columns; ++c) squares += (row[c] - mean) * (row[c] - mean);
  const float inverse = 1.0f / std::sqrt(squares / static_cast<float>(columns) + norm.epsilon);
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) row[c] = (row[c] - mean) * inverse * norm.gamma[c] + norm.beta[c];
  quantise_row(columns, r, norm.bytes, [row, factors = norm.factors](std::int64_t c) { return row[c] * factors[c]; });
}

void normalize_sums(const Int8Sums& y, const float* residual, const NormToBytes& norm) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums sums(y, r);
    float* const row = norm.out + r * y.columns;
    const float* const addend = residual + r * y.columns;
    float total = 0.0f;
#pragma omp simd reduction(+ : total)
    for (std::int64_t c = 0; c < y.columns; ++c) {
      row[c] = sums[c] + addend[c];
      total += row[c];
    }
    normalize_row(row, total, y.columns, r, norm);
  }
}

void normalize(const float* x, std::int64_t rows, std::int64_t columns, const NormToBytes& norm) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const from = x + r * columns;
    float* const row = norm.out + r * columns;
    float total = 0.0f;
#pragma omp simd reduction(+ : total)
    for (std::int64_t c = 0; c < columns; ++c) {
      row[c] = from[c];
      total += row[c];
    }
    normalize_row(row, total, columns, r, norm);
  }
}

constexpr Int8Kernels kernels_of_bytes{.quantise = quantise,
                                       .quantise_channel = quantise_channel,
                                       .multiply = multiply,
                                       .round_sums = round_sums,
                                       .gelu_sums = gelu_sums,
                                       .normalize_sums = normalize_sums,
                                       .normalize = normalize};

}  // namespace

template <>
const Int8Kernels& table() {
  return kernels_of_bytes;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
