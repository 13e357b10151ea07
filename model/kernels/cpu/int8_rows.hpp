#pragma once

#include "model/kernels/cpu/gate.hpp"
#include "model/kernels/cpu/int8_multiply.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

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
typedef std::uint8_t Bytes __attribute__((vector_size(sizeof(Floats) / sizeof(float))));

/// Returns the smaller, or larger, numbers of a and b; those of b where one is NaN. GCC takes two instructions for a
/// comparison with a constant.
inline Floats smaller(const Floats& a, const Floats& b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Floats>(
      _mm512_maskz_min_ps(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
  return a < b ? a : b;
#endif
}
inline Floats larger(const Floats& a, const Floats& b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Floats>(
      _mm512_maskz_max_ps(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
  return a > b ? a : b;
#endif
}

/// Least and largest of the values that were seen, 0 among them, in each lane of a register.
class Range {
 public:
  void accumulate(const Floats& values) {
    least_ = smaller(values, least_);
    most_ = larger(values, most_);
  }
  float least() const { return -horizontal_maximum<float>(-least_); }
  float most() const { return horizontal_maximum<float>(most_); }

 private:
  Floats least_{}, most_{};
};

/// Writes the values as bytes: rounded, and cut to 0 to 255.
template <typename Count>
inline void store_bytes(const Floats& values, std::uint8_t* to, Count count) {
  const Floats none{}, all = none + 255.0f;
  const Floats steps = smaller(larger(values, none), all) + to_whole_number;
  const Bytes bytes = __builtin_convertvector(reinterpret_cast<Whole>(steps) & 255, Bytes);
  std::memcpy(to, &bytes, static_cast<std::size_t>(count));
}

#if defined(__AVX512BW__)
/// Writes the bytes of four registers.
inline void store_bytes(const Floats (&values)[4], std::uint8_t* to) {
  // Without a mask GCC warns of the function's own code.
  const auto whole = [&](int i) {
    return _mm512_maskz_cvtps_epi32(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(values[i]));
  };
  // Each of the four parts of a register has four bytes of each of the values' registers.
  const auto mixed = reinterpret_cast<Whole>(
      _mm512_packus_epi16(_mm512_packs_epi32(whole(0), whole(1)), _mm512_packs_epi32(whole(2), whole(3))));
  const Whole bytes = __builtin_shufflevector(mixed, mixed, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  std::memcpy(to, &bytes, sizeof bytes);
}
#endif

/// Writes row r; `values_at(c, count)` are its columns from c on.
template <typename ValuesAt>
inline void quantise_row(std::int64_t columns, const Range& range, std::int64_t r, const ByteRows& out,
                         const ValuesAt& values_at) {
  const float least = range.least(), scale = (range.most() - least) / 255.0f;
  const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
  const float zero = static_cast<float>(nearest_in(-least * inverse, 0.0f, 255.0f));
  std::uint8_t* const to = out.bytes + r * out.stride;
  Floats not_finite{};  // NaN where a value is not finite, else 0
  const auto steps_at = [&](std::int64_t c, auto count) {
    const Floats values = values_at(c, count);
    not_finite += values * 0.0f;
    return values * inverse + zero;
  };
  std::int64_t first = 0;
#if defined(__AVX512BW__)
  constexpr std::integral_constant<std::int64_t, RegisterOf<float>::width> width;
  for (; first + 4 * width <= columns; first += 4 * width) {
    Floats steps[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) steps[i] = steps_at(first + i * width, width);
    store_bytes(steps, to + first);
  }
#endif
  for_each_register<float>(columns - first, [&](std::int64_t c, auto count) {
    store_bytes(steps_at(first + c, count), to + first + c, count);
  });
  if (columns < out.stride) std::memset(to + columns, 0, static_cast<std::size_t>(out.stride - columns));
  out.scales[r] = {scale + horizontal_sum<float>(not_finite), zero};
}

inline void quantise(const float* x, std::int64_t rows, std::int64_t columns, ByteRows out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto values_at = [row = x + r * columns](std::int64_t c, auto count) { return load_some(row + c, count); };
    Range range;
    for_each_register<float>(columns, [&](std::int64_t c, auto count) { range.accumulate(values_at(c, count)); });
    quantise_row(columns, range, r, out, values_at);
  }
}

/// Calls use(r, c, values, count) with y of a linear layer: `count` columns of row r from column c on.
template <typename Use>
inline void for_each_result(const ByteRows& rows, std::int64_t count, Int8Linear layer, const Use& use) {
  const auto whole = [](const std::int32_t* from, auto size) {
    Whole values{};
    std::memcpy(&values, from, sizeof(std::int32_t) * static_cast<std::size_t>(size));
    return __builtin_convertvector(values, Floats);
  };
  alignas(64) std::int32_t sums[int8_most_rows * int8_panel];
  for (std::int64_t first = 0; first < layer.columns; first += int8_panel) {
    for (std::int64_t row = 0; row < count; row += layer.multiplier.rows) {
      const std::int64_t of_tile = count - row < layer.multiplier.rows ? count - row : layer.multiplier.rows;
      layer.multiplier.multiply(rows.bytes + row * rows.stride, rows.stride, of_tile, layer.depth,
                                layer.panels + first * layer.depth, sums);
      for (std::int64_t r = 0; r < of_tile; ++r) {
        const ByteScale of_row = rows.scales[row + r];
        const auto convert = [&](std::int64_t c, auto size) {
          const std::int64_t column = first + c;
          const Floats of_weights = whole(sums + r * int8_panel + c, size) * load_some(layer.scales + column, size) -
                                    of_row.zero * load_some(layer.scaled_byte_sums + column, size);
          use(row + r, column, of_weights * of_row.scale + load_some(layer.bias + column, size), size);
        };
        if (first + int8_panel <= layer.columns)
          for_each_register<float>(int8_panel, convert);
        else
          for_each_register<float>(layer.columns - first, convert);
      }
    }
  }
}

inline void linear(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* out, std::int64_t stride) {
  for_each_result(rows, count, layer, [=](std::int64_t r, std::int64_t c, const Floats& values, auto size) {
    store_some(out + r * stride + c, values, size);
  });
}

inline void add_linear(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* out) {
  for_each_result(rows, count, layer,
                  [out, stride = layer.columns](std::int64_t r, std::int64_t c, const Floats& values, auto size) {
                    float* const to = out + r * stride + c;
                    store_some(to, values + load_some(to, size), size);
                  });
}

/// Returns gelu(x) in the form with erf as max(x, 0) - g(|x|), with g(u) = u times the distribution function of the
/// negative normal distribution, and g(4) from 4 on. The error is below 1.4e-4, and 7.5e-5 within [-4, 4]: far less
/// than a step of bytes. NaN stays NaN.
inline Floats gelu_for_bytes(const Floats& x) {
  const Floats zero{}, absolute = larger(x, -x), positive = larger(zero, x);
#if defined(__AVX512F__)
  // Pieces [(j - 1/2) / steps, (j + 1/2) / steps] of u, whose polynomials are looked up by an instruction.
  constexpr float steps = 3.8f;
  static constexpr float pieces[3][16] = {
      {0.0f, 0.104264848f, 0.157543272f, 0.169671774f, 0.153953463f, 0.123846546f, 0.0902761295f, 0.0602928177f,
       0.0371251404f, 0.0211551096f, 0.0111827124f, 0.00549227744f, 0.00250900863f, 0.00106690789f, 0.000422536454f,
       0.000155683316f},
      {0.131578952f, 0.0778059438f, 0.0310502574f, -0.00369114405f, -0.024618445f, -0.0330710858f, -0.0324558765f,
       -0.026787268f, -0.0194810051f, -0.0127508556f, -0.00759711303f, -0.00414845254f, -0.00208519888f,
       -0.000967657019f, -0.000415453891f, -0.000161478267f},
      {-0.0275704805f, -0.0256956294f, -0.0206855647f, -0.0139253922f, -0.00710918987f, -0.00160464249f, 0.00191683602f,
       0.00349782733f, 0.00364725664f, 0.00301310746f, 0.00213492964f, 0.00133977819f, 0.00075695588f, 0.000388720131f,
       0.000182545322f, 8.91355085e-05f}};
  const Floats end = zero + 4.0f * steps, scaled = absolute * steps, within = smaller(end, scaled);
  const Floats shifted = within + to_whole_number, variable = within - (shifted - to_whole_number);
  const auto coefficient = [&](int power) {
    return reinterpret_cast<Floats>(_mm512_maskz_permutexvar_ps(
        static_cast<__mmask16>(-1), reinterpret_cast<__m512i>(shifted), _mm512_loadu_ps(pieces[power])));
  };
  return positive - ((coefficient(2) * variable + coefficient(1)) * variable + coefficient(0));
#else
  // g(u) is u times a polynomial of u - 2; even and odd powers separately, so that fewer instructions wait.
  constexpr int count = 10;
  static constexpr float coefficients[count] = {-1.44843743e-05f, 7.92869832e-05f, 5.96142308e-05f, -0.00123271334f,
                                                0.00230877101f,   0.00435390277f,  -0.0270117987f,  0.0540510416f,
                                                -0.0539920591f,   0.0227463692f};
  const Floats end = zero + 4.0f, within = smaller(end, absolute);
  const Floats variable = within - 2.0f, squared = variable * variable;
  Floats odd = zero + coefficients[0], even = zero + coefficients[1];
#pragma GCC unroll 8
  for (int i = 2; i < count; i += 2) {
    odd = odd * squared + coefficients[i];
    even = even * squared + coefficients[i + 1];
  }
  return positive - within * (odd * variable + even);
#endif
}

inline void gelu_linear(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* memory,
                        ByteRows out) {
  for_each_result(rows, count, layer,
                  [memory, stride = layer.columns](std::int64_t r, std::int64_t c, const Floats& values, auto size) {
                    store_some(memory + r * stride + c, gelu_for_bytes(values), size);
                  });
  quantise(memory, count, layer.columns, out);
}

inline void gate_linear(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, Activation activation,
                        float* memory, ByteRows out) {
  linear(rows, count, layer, memory, layer.columns);
  const std::int64_t width = layer.columns / 2;
  // A row's results take the place of earlier rows, which have been read.
  for (std::int64_t r = 0; r < count; ++r) {
    const float* const a = memory + r * layer.columns;
    for_each_register<float>(width, [=](std::int64_t c, auto size) {
      const Floats of_a = load_some(a + c, size);
      const Floats value = activation == Activation::gelu ? gelu_for_bytes(of_a) : of_a * logistic(of_a);
      store_some(memory + r * width + c, value * load_some(a + width + c, size), size);
    });
  }
  quantise(memory, count, width, out);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
