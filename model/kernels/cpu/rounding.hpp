#pragma once

#include <cstdint>
#include <cstring>

#include "model/kernels/bfloat16.hpp"

#ifndef GAUSSCSE_ISA
#error "GAUSSCSE_ISA names the instruction set this file is compiled for"
#endif

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

/// Returns the bfloat16 nearest to `value`, held in a float.
inline float nearest_bfloat16(float value) {
  return value_of(Bfloat16{bits_of_nearest(value)});
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
