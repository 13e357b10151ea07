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

/// Returns the value of a factor as float32, to compute with.
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

/// Returns `count` values of a factor, and 0 for the rest of the register.
inline Register<float> load_values(const float* from, std::int64_t count) {
  return load_some(from, count);
}
inline Register<double> load_values(const double* from, std::int64_t count) {
  return load_some(from, count);
}
typedef std::uint16_t Halves __attribute__((vector_size(bytes_of_register / 2)));
inline Register<float> load_values(const Bfloat16* from, std::int64_t count) {
  Halves halves{};
  std::memcpy(&halves, from, sizeof(Bfloat16) * static_cast<std::size_t>(count));
  return reinterpret_cast<Register<float>>(__builtin_convertvector(halves, Register<std::uint32_t>) << 16);
}

/// Writes the first `count` values as a factor.
inline void store_values(const Register<float>& values, float* to, std::int64_t count) {
  store_some(to, values, count);
}
inline void store_values(const Register<double>& values, double* to, std::int64_t count) {
  store_some(to, values, count);
}
inline void store_values(const Register<float>& values, Bfloat16* to, std::int64_t count) {
#ifdef __AVX512BF16__
  // The instruction takes values below the least normal float, 1.2e-38, for 0.
  const __m256bh rounded = _mm512_cvtneps_pbh(reinterpret_cast<__m512>(values));
#else
  // As bits_of_nearest does.
  const auto bits = reinterpret_cast<Register<std::uint32_t>>(values);
  const auto nearest = bits + 0x7FFFu + ((bits >> 16) & 1u);
  const auto rounded = __builtin_convertvector((values != values ? bits | 0x00400000u : nearest) >> 16, Halves);
#endif
  std::memcpy(to, &rounded, sizeof(Bfloat16) * static_cast<std::size_t>(count));
}

/// Returns the bfloat16 nearest to `value`, held in a float.
inline float nearest_bfloat16(float value) {
  return value_of(Bfloat16{bits_of_nearest(value)});
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
