#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Each kernel file is compiled once for every instruction set, in its own namespace.
#ifndef GAUSSCSE_ISA
#error "GAUSSCSE_ISA names the instruction set this file is compiled for"
#endif

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Returns the functions of this instruction set; `table_of_instruction_set` picks among them.
template <typename Table>
const Table& table();

/// Sixteen floats, or eight doubles, in the registers that the instruction set has.
template <typename T>
struct VectorOf {
  static constexpr std::int64_t width = 64 / sizeof(T);
  typedef T type __attribute__((vector_size(64)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;

/// Sixteen words of 32 bits.
typedef std::uint32_t Words __attribute__((vector_size(64)));

template <typename T>
inline Vector<T> load(const T* from) {
  Vector<T> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
inline void store(T* to, const Vector<T>& value) {
  std::memcpy(to, &value, sizeof value);
}

#if defined(__AVX512F__)
constexpr std::size_t bytes_of_register = 64;
#elif defined(__AVX2__)
constexpr std::size_t bytes_of_register = 32;
#else
constexpr std::size_t bytes_of_register = 16;
#endif

/// One register of elements. GCC compares longer vectors element by element, and keeps few of them in registers.
template <typename T>
struct RegisterOf {
  static constexpr std::int64_t width = bytes_of_register / sizeof(T);
  typedef T type __attribute__((vector_size(bytes_of_register)));
};
template <typename T>
using Register = typename RegisterOf<T>::type;

/// Loads the first `count` elements; the rest of the register is 0.
template <typename T>
inline Register<T> load_some(const T* from, std::int64_t count) {
  Register<T> value{};
  std::memcpy(&value, from, sizeof(T) * static_cast<std::size_t>(count));
  return value;
}

template <typename T>
inline void store_some(T* to, const Register<T>& value, std::int64_t count) {
  std::memcpy(to, &value, sizeof(T) * static_cast<std::size_t>(count));
}

/// Calls visit(i, size) for consecutive parts of `count` elements: `size` of them from element i on. A part fills a
/// register, but for the last one. The size of the others is a constant, so that a copy is a single instruction.
template <typename T, typename Visit>
inline void for_each_register(std::int64_t count, const Visit& visit) {
  constexpr std::int64_t width = RegisterOf<T>::width;
  std::int64_t i = 0;
  for (; i + width <= count; i += width) visit(i, std::integral_constant<std::int64_t, width>());
  if (i < count) visit(i, count - i);
}

/// Returns the lanes of `bytes` bytes, a vector or part of one, joined by `join(a, b)`, halves first.
template <typename T, std::size_t bytes, typename Join>
inline T joined_lanes(const void* lanes, const Join& join) {
  if constexpr (bytes == 2 * sizeof(T)) {
    T halves[2];
    std::memcpy(halves, lanes, bytes);
    return join(halves[0], halves[1]);
  } else {
    typedef T Half __attribute__((vector_size(bytes / 2)));
    Half halves[2];
    std::memcpy(halves, lanes, bytes);
    const Half joined = join(halves[0], halves[1]);
    return joined_lanes<T, bytes / 2>(&joined, join);
  }
}
template <typename T, typename Lanes>
inline T horizontal_sum(const Lanes& lanes) {
  return joined_lanes<T, sizeof lanes>(&lanes, [](const auto& a, const auto& b) { return a + b; });
}
template <typename T, typename Lanes>
inline T horizontal_maximum(const Lanes& lanes) {
  return joined_lanes<T, sizeof lanes>(&lanes, [](const auto& a, const auto& b) { return a > b ? a : b; });
}

/// Returns e^x to float precision for x from -87 to 88: 2^n * e^r with |r| <= ln(2)/2 and the Taylor series of e^r. NaN
/// stays NaN. `Float` is float or a vector of them, `Bits` as many words of 32 bits.
template <typename Float, typename Bits>
inline Float exponential_within_range(const Float& x) {
  constexpr float log2_e = 1.44269504f;
  constexpr float ln2_high = 0.693359375f;
  constexpr float ln2_low = -2.12194440e-4f;
  constexpr float shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const Float shifted = x * log2_e + shift;
  const Float n = shifted - shift;
  const Float r = (x - n * ln2_high) - n * ln2_low;
  Float series = r * (1.0f / 5040.0f) + 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = ((bits & 0x3FFu) + 127u) << 23;  // the integer sits in shifted's low bits, as two's complement
  Float power;
  std::memcpy(&power, &bits, sizeof power);
  return series * power;
}

/// Returns e^x; below -87 the result is e^-87, above 88 it is e^88, so that loops over it vectorise.
template <typename Float, typename Bits>
inline Float exponential_of(Float x) {
  const Float least = Float{} - 87.0f, most = Float{} + 88.0f;
  x = x < least ? least : x;
  return exponential_within_range<Float, Bits>(x > most ? most : x);
}

inline float exponential(float x) {
  return exponential_of<float, std::uint32_t>(x);
}
inline Vector<float> exponential(const Vector<float>& x) {
  return exponential_of<Vector<float>, Words>(x);
}

/// A format of numbers, as `logarithm` takes them apart.
template <typename T>
struct FormatOf;
template <>
struct FormatOf<float> {
  using Integer = std::int32_t;
  static constexpr Integer sqrt_half = 0x3F3504F3, fraction = 0x7FFFFF;
  static constexpr int fraction_bits = 23, terms = 5;
  static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
};
template <>
struct FormatOf<double> {
  using Integer = std::int64_t;
  static constexpr Integer sqrt_half = 0x3FE6A09E667F3BCD, fraction = 0xFFFFFFFFFFFFF;
  static constexpr int fraction_bits = 52, terms = 11;
  static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
};

/// Returns the logarithm of positive numbers that are neither infinite nor subnormal, to some units in the last place;
/// NaN stays NaN. With x = 2^n (1 + r) and 1 + r from sqrt(1/2) to sqrt(2), it is n ln(2) + 2 artanh(r / (2 + r)), by
/// the series of artanh. `Lanes` is a vector of T.
template <typename T, typename Lanes>
inline Lanes logarithm(const Lanes& x) {
  using Format = FormatOf<T>;
  typedef typename Format::Integer Integers __attribute__((vector_size(sizeof(Lanes))));
  Integers bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits -= Format::sqrt_half;
  const Lanes power = __builtin_convertvector(bits >> Format::fraction_bits, Lanes);
  bits = (bits & Format::fraction) + Format::sqrt_half;
  Lanes fraction;
  std::memcpy(&fraction, &bits, sizeof fraction);
  const Lanes r = fraction - T{1}, s = r / (T{2} + r), square = s * s;
  Lanes series{};
  for (int k = Format::terms - 1; k >= 0; --k) series = series * square + T{2} / static_cast<T>(2 * k + 1);
  return power * Format::ln2_high + (power * Format::ln2_low + s * series) + T{0} * x;
}

inline double exponential(double x) {
  return std::exp(x);
}
inline Vector<double> exponential(Vector<double> x) {
  for (std::int64_t lane = 0; lane < VectorOf<double>::width; ++lane) x[lane] = std::exp(x[lane]);
  return x;
}

/// Returns e^x of the elements of a vector of any length, float or double, as `exponential` does.
template <typename T, typename Lanes>
inline Lanes exponentials(Lanes x) {
  if constexpr (std::is_same_v<T, float>) {
    typedef std::uint32_t Bits __attribute__((vector_size(sizeof(Lanes))));
    return exponential_of<Lanes, Bits>(x);
  } else {
    for (std::size_t lane = 0; lane < sizeof(Lanes) / sizeof(T); ++lane) x[lane] = std::exp(x[lane]);
    return x;
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
