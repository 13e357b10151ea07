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

/// Loads the first `count` elements; the rest of the vector is 0.
template <typename T>
inline Vector<T> load_some(const T* from, std::int64_t count) {
  Vector<T> value{};
  std::memcpy(&value, from, sizeof(T) * static_cast<std::size_t>(count));
  return value;
}

template <typename T>
inline void store_some(T* to, const Vector<T>& value, std::int64_t count) {
  std::memcpy(to, &value, sizeof(T) * static_cast<std::size_t>(count));
}

#if defined(__AVX512F__)
constexpr std::size_t bytes_of_register = 64;
#elif defined(__AVX2__)
constexpr std::size_t bytes_of_register = 32;
#else
constexpr std::size_t bytes_of_register = 16;
#endif

/// Returns join(a, b) of the registers that two vectors take. GCC compares longer vectors element by element.
template <typename T, typename Join>
inline Vector<T> joined_registers(const Vector<T>& a, const Vector<T>& b, const Join& join) {
  typedef T Register __attribute__((vector_size(bytes_of_register)));
  constexpr int count = sizeof(Vector<T>) / sizeof(Register);
  if constexpr (count == 1) return join(a, b);
  Register of_a[count], of_b[count];
  std::memcpy(of_a, &a, sizeof a);
  std::memcpy(of_b, &b, sizeof b);
  for (int i = 0; i < count; ++i) of_a[i] = join(of_a[i], of_b[i]);
  Vector<T> result;
  std::memcpy(&result, of_a, sizeof result);
  return result;
}
/// Returns the larger of each lane; `b` where one of them is NaN.
template <typename T>
inline Vector<T> larger(const Vector<T>& a, const Vector<T>& b) {
  return joined_registers<T>(a, b, [](const auto& x, const auto& y) { return x > y ? x : y; });
}
/// Returns the smaller of each lane; `b` where one of them is NaN.
template <typename T>
inline Vector<T> smaller(const Vector<T>& a, const Vector<T>& b) {
  return joined_registers<T>(a, b, [](const auto& x, const auto& y) { return x < y ? x : y; });
}

/// Calls visit(i, size) for consecutive parts of `count` elements: `size` of them from element i on. A part fills a
/// vector, but for the last one. The size of the others is a constant, so that a copy is a single instruction.
template <typename T, typename Visit>
inline void for_each_vector(std::int64_t count, const Visit& visit) {
  constexpr std::int64_t width = VectorOf<T>::width;
  std::int64_t i = 0;
  for (; i + width <= count; i += width) visit(i, std::integral_constant<std::int64_t, width>());
  if (i < count) visit(i, count - i);
}

/// Returns the lanes joined by `join(a, b)`, halves first.
template <typename T, std::size_t size, typename Join>
inline T joined_lanes(const T (&lanes)[size], const Join& join) {
  if constexpr (size == 1) {
    return lanes[0];
  } else {
    T halves[size / 2];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < size / 2; ++i) halves[i] = join(lanes[i], lanes[i + size / 2]);
    return joined_lanes(halves, join);
  }
}
template <typename T, typename Join>
inline T joined_lanes(const Vector<T>& value, const Join& join) {
  typedef T Half __attribute__((vector_size(32)));
  typedef T Quarter __attribute__((vector_size(16)));
  Half half[2];
  std::memcpy(half, &value, sizeof value);
  half[0] = join(half[0], half[1]);
  Quarter quarter[2];
  std::memcpy(quarter, half, sizeof quarter);
  quarter[0] = join(quarter[0], quarter[1]);
  T lanes[sizeof(Quarter) / sizeof(T)];
  std::memcpy(lanes, quarter, sizeof lanes);
  return joined_lanes(lanes, join);
}
template <typename T>
inline T horizontal_sum(const Vector<T>& value) {
  return joined_lanes<T>(value, [](const auto& a, const auto& b) { return a + b; });
}
template <typename T>
inline T horizontal_maximum(const Vector<T>& value) {
  return joined_lanes<T>(value, [](const auto& a, const auto& b) { return a > b ? a : b; });
}

/// Returns e^x to float precision for x from -87 to 88: 2^n * e^r with |r| <= ln(2)/2 and the Taylor series of e^r. NaN
/// stays NaN. `Float` is float or a vector of them, `Bits` as many words of 32 bits.
template <typename Float, typename Bits = Words>
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
template <typename Float, typename Bits = Words>
inline Float exponential_of(Float x) {
  const Float least = Float{} - 87.0f, most = Float{} + 88.0f;
  x = x < least ? least : x;
  return exponential_within_range<Float, Bits>(x > most ? most : x);
}

inline float exponential(float x) {
  return exponential_of<float, std::uint32_t>(x);
}
inline Vector<float> exponential(const Vector<float>& x) {
  return exponential_of(x);
}

inline double exponential(double x) {
  return std::exp(x);
}
inline Vector<double> exponential(Vector<double> x) {
  for (std::int64_t lane = 0; lane < VectorOf<double>::width; ++lane) x[lane] = std::exp(x[lane]);
  return x;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
