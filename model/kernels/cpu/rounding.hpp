#pragma once

#include <cstdint>
#include <cstring>

#include "model/kernels/bfloat16.hpp"

#ifndef GAUSSCSE_ISA
#error "GAUSSCSE_ISA names the instruction set this file is compiled for"
#endif

namespace gausscse::kernels::GAUSSCSE_ISA {

/// `value`, rounded to the nearest bfloat16 (ties to even) and held in a float; NaN stays NaN.
inline float nearest_bfloat16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u;
  const bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  // The quiet bit keeps a NaN one whose payload is in the lower half.
  const std::uint32_t result = is_nan ? (bits | 0x00400000u) & 0xFFFF0000u : rounded;
  float nearest;
  std::memcpy(&nearest, &result, sizeof nearest);
  return nearest;
}

/// What a factor holds, to compute with.
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
  const float nearest = nearest_bfloat16(value);
  std::uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  to.bits = static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
