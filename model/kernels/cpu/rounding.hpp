#pragma once

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

#include "model/kernels/bfloat16.hpp"
#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Returns the bits of the bfloat16 nearest to `value` (ties to even); NaN stays NaN.
inline std::uint16_t bits_of_nearest(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t rounded = bits + 0x7FFFu + ((bits >> 16) & 1u);
  // The quiet bit keeps a NaN one whose payload is in the lower half.
  return static_cast<std::uint16_t>((value != value ? bits | 0x00400000u : rounded) >> 16);
}

/// Returns what a factor holds, to compute with.
inline float value_of(float x) {
  return x;
}
inline double value_of(double x) {
  return x;
}
inline float value_of(Bfloat16 x) {
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Writes a value as a factor.
inline void put(float value, float& to) {
  to = value;
}
inline void put(double value, double& to) {
  to = value;
}
inline void put(float value, Bfloat16& to) {
  to.bits = bits_of_nearest(value);
}

typedef std::int32_t Integers __attribute__((vector_size(64)));
typedef std::uint16_t Halves __attribute__((vector_size(32)));

/// Returns `count` values of a factor, and 0 for the rest of the vector.
inline Vector<float> load_values(const float* from, std::int64_t count) {
  return load_some(from, count);
}
inline Vector<double> load_values(const double* from, std::int64_t count) {
  return load_some(from, count);
}
inline Vector<float> load_values(const Bfloat16* from, std::int64_t count) {
  Halves halves{};
  std::memcpy(&halves, from, sizeof(Bfloat16) * static_cast<std::size_t>(count));
  return reinterpret_cast<Vector<float>>(__builtin_convertvector(halves, Words) << 16);
}

/// Writes the first `count` values as a factor.
inline void put_values(const Vector<float>& values, float* to, std::int64_t count) {
  store_some(to, values, count);
}
inline void put_values(const Vector<double>& values, double* to, std::int64_t count) {
  store_some(to, values, count);
}
inline void put_values(const Vector<float>& values, Bfloat16* to, std::int64_t count) {
#ifdef __AVX512BF16__
  // The instruction takes values below the least normal float, 1.2e-38, for 0.
  const __m256bh rounded = _mm512_cvtneps_pbh(reinterpret_cast<__m512>(values));
#else
  const Words bits = reinterpret_cast<Words>(values);
  // All bits of a lane that is NaN, as bits_of_nearest asks for.
  const Words nan = reinterpret_cast<Words>(reinterpret_cast<Integers>(0x7F800000u - (bits & 0x7FFFFFFFu)) >> 31);
  const Words nearest = bits + 0x7FFFu + ((bits >> 16) & 1u);
  const Halves rounded = __builtin_convertvector(((nearest & ~nan) | ((bits | 0x00400000u) & nan)) >> 16, Halves);
#endif
  std::memcpy(to, &rounded, sizeof(Bfloat16) * static_cast<std::size_t>(count));
}

/// Returns the bfloat16 nearest to `value`, held in a float.
inline float nearest_bfloat16(float value) {
  return value_of(Bfloat16{bits_of_nearest(value)});
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
