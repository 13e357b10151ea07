#include "model/kernels/int8_kernels.hpp"

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

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

typedef Register<float> Floats;
typedef std::int32_t Whole __attribute__((vector_size(sizeof(Floats))));
typedef std::uint8_t Bytes __attribute__((vector_size(sizeof(Floats) / sizeof(float))));

/// Least and largest of the values that were seen, 0 among them, in each lane of a register.
class Range {
 public:
  void see(const Floats& values) {
    least_ = values < least_ ? values : least_;
    most_ = values > most_ ? values : most_;
    not_finite_ += values * 0.0f;
  }
  float least() const { return -horizontal_maximum<float>(-least_); }
  float most() const { return horizontal_maximum<float>(most_); }
  /// Returns NaN where a value is not finite, else 0.
  float not_finite() const { return horizontal_sum<float>(not_finite_); }

 private:
  Floats least_{}, most_{}, not_finite_{};
};

/// Writes row r; `values_at(c, count)` are its columns from c on.
template <typename ValuesAt>
inline void quantise_row(std::int64_t columns, const Range& range, std::int64_t r, ByteRows out,
                         const ValuesAt& values_at) {
  const float least = range.least(), scale = (range.most() - least) / 255.0f;
  const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
  const float zero = static_cast<float>(nearest_in(-least * inverse, 0.0f, 255.0f));
  std::uint8_t* const to = out.bytes + r * out.stride;
  for_each_register<float>(columns, [&](std::int64_t c, auto count) {
    const Floats none{}, all = none + 255.0f;
    Floats steps = values_at(c, count) * inverse + zero;
    steps = steps > none ? steps : none;
    steps = (steps < all ? steps : all) + to_whole_number;
    const Bytes bytes = __builtin_convertvector(reinterpret_cast<Whole>(steps) & 255, Bytes);
    std::memcpy(to + c, &bytes, static_cast<std::size_t>(count));
  });
  std::memset(to + columns, 0, static_cast<std::size_t>(out.stride - columns));
  out.scales[r] = {scale + range.not_finite(), zero};
}

void quantise(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, ByteRows out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto values_at = [row = x + r * stride](std::int64_t c, auto count) { return load_values(row + c, count); };
    Range range;
    for_each_register<float>(columns, [&](std::int64_t c, auto count) { range.see(values_at(c, count)); });
    quantise_row(columns, range, r, out, values_at);
  }
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

/// 16-bit numbers of a register, and the bytes that they are widened from.
typedef std::int16_t Shorts __attribute__((vector_size(sizeof(Floats))));
typedef std::int8_t SignedBytes __attribute__((vector_size(sizeof(Floats) / 2)));

/// Returns the sums of neighbours of a * b.
inline Whole sums_of_pairs(const Shorts& a, const Shorts& b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Whole>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Whole>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<Whole>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

/// Columns whose sums are in registers at a time: a register has two sums of each.
constexpr std::int64_t columns_of_register = sizeof(Shorts) / sizeof(std::int16_t) / int8_group;
constexpr std::int64_t registers = 8, columns_at_a_time = registers * columns_of_register;

void multiply(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
              const std::int8_t* panel, std::int32_t* out, std::int64_t out_stride, bool accumulate) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t column = 0; column < int8_panel; column += columns_at_a_time) {
      Whole sums[registers] = {};
      for (std::int64_t k = 0; k < depth; k += int8_group) {
        const std::uint8_t* const from = a + r * a_stride + k;
        const std::uint64_t group = std::uint64_t{from[0]} | std::uint64_t{from[1]} << 16 |
                                    std::uint64_t{from[2]} << 32 | std::uint64_t{from[3]} << 48;
        typedef std::uint64_t Groups __attribute__((vector_size(sizeof(Floats))));
        const Shorts of_row = reinterpret_cast<Shorts>(Groups{} + group);
        for (std::int64_t i = 0; i < registers; ++i) {
          SignedBytes bytes;
          std::memcpy(&bytes, panel + (k * int8_panel + (column + i * columns_of_register) * int8_group), sizeof bytes);
          sums[i] += sums_of_pairs(of_row, __builtin_convertvector(bytes, Shorts));
        }
      }
      std::int32_t pairs[2 * columns_at_a_time];
      std::memcpy(pairs, sums, sizeof pairs);
      std::int32_t* const to = out + r * out_stride + column;
      for (std::int64_t c = 0; c < columns_at_a_time; ++c)
        to[c] = (accumulate ? to[c] : 0) + pairs[2 * c] + pairs[2 * c + 1];
    }
  }
}

/// One row of Int8Sums as float32.
class RowOfSums {
 public:
  RowOfSums(const Int8Sums& all, std::int64_t r)
      : all_(all),
        sums_(all.sums + r * all.stride),
        scale_(all.row_scales[r].scale),
        zero_(static_cast<std::int32_t>(all.row_scales[r].zero)) {}
  /// Returns `count` columns from c on.
  template <typename Count>
  Floats at(std::int64_t c, Count count) const {
    const Whole sums = whole(sums_ + c, count) - whole(all_.byte_sums + c, count) * zero_;
    return __builtin_convertvector(sums, Floats) * (load_some(all_.column_scales + c, count) * scale_) +
           load_some(all_.bias + c, count);
  }

 private:
  template <typename Count>
  static Whole whole(const std::int32_t* from, Count count) {
    Whole values{};
    std::memcpy(&values, from, sizeof(std::int32_t) * static_cast<std::size_t>(count));
    return values;
  }

  const Int8Sums& all_;
  const std::int32_t* sums_;
  float scale_;
  std::int32_t zero_;
};

void round_sums(const Int8Sums& y, Bfloat16* out, std::int64_t stride) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums row(y, r);
    for_each_register<float>(
        y.columns, [&](std::int64_t c, auto count) { put_values(row.at(c, count), out + r * stride + c, count); });
  }
}

void gelu_sums(const Int8Sums& y, float* row, ByteRows out) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums sums(y, r);
    Range range;
    for_each_register<float>(y.columns, [&](std::int64_t c, auto count) {
      const Floats values = gelu(sums.at(c, count));
      store_some(row + c, values, count);
      if constexpr (std::is_same_v<decltype(count), std::int64_t>)
        range.see(load_some(row + c, count));  // the rest of the register as 0
      else
        range.see(values);
    });
    quantise_row(y.columns, range, r, out, [=](std::int64_t c, auto count) { return load_some(row + c, count); });
  }
}

/// Writes the layer norm of a row; `values_at(c, count)` are its columns from c on.
template <typename ValuesAt>
inline void normalize_row(std::int64_t columns, std::int64_t r, const NormToBytes& norm, const ValuesAt& values_at) {
  float* const row = norm.out + r * columns;
  Floats totals{};
  for_each_register<float>(columns, [&](std::int64_t c, auto count) {
    store_some(row + c, values_at(c, count), count);
    totals += load_some(row + c, count);
  });
  const float mean = horizontal_sum<float>(totals) / static_cast<float>(columns);
  Floats squares{};
  for_each_register<float>(columns, [&](std::int64_t c, auto count) {
    const Floats centred = load_some(row + c, count) - mean;
    store_some(row + c, centred, count);
    const Floats kept = load_some(row + c, count);
    squares += kept * kept;
  });
  const float inverse = 1.0f / std::sqrt(horizontal_sum<float>(squares) / static_cast<float>(columns) + norm.epsilon);
  Range range;
  const auto scaled_at = [row, factors = norm.factors](std::int64_t c, auto count) {
    return load_some(row + c, count) * load_some(factors + c, count);
  };
  for_each_register<float>(columns, [&](std::int64_t c, auto count) {
    store_some(row + c,
               load_some(row + c, count) * inverse * load_some(norm.gamma + c, count) + load_some(norm.beta + c, count),
               count);
    range.see(scaled_at(c, count));
  });
  quantise_row(columns, range, r, norm.bytes, scaled_at);
}

void normalize_sums(const Int8Sums& y, const float* residual, const NormToBytes& norm) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    const RowOfSums sums(y, r);
    normalize_row(y.columns, r, norm, [&, addend = residual + r * y.columns](std::int64_t c, auto count) {
      return sums.at(c, count) + load_some(addend + c, count);
    });
  }
}

void normalize(const float* x, std::int64_t rows, std::int64_t columns, const NormToBytes& norm) {
  for (std::int64_t r = 0; r < rows; ++r)
    normalize_row(columns, r, norm,
                  [row = x + r * columns](std::int64_t c, auto count) { return load_some(row + c, count); });
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
