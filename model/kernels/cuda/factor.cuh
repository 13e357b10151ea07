#pragma once

#include "model/kernels/bfloat16.hpp"
#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Returns the value of a factor of matrix products as float32, to compute with.
__device__ inline float value_of(float x) {
  return x;
}
__device__ inline double value_of(double x) {
  return x;
}
__device__ inline float value_of(Bfloat16 x) {
  return __int_as_float(static_cast<int>(static_cast<std::uint32_t>(x.bits) << 16));
}

/// Writes a value as a factor: to the nearest bfloat16, ties to even; NaN stays NaN.
__device__ inline void put(float value, float& to) {
  to = value;
}
__device__ inline void put(double value, double& to) {
  to = value;
}
__device__ inline void put(float value, Bfloat16& to) {
  const auto bits = static_cast<std::uint32_t>(__float_as_int(value));
  const std::uint32_t rounded = bits + 0x7FFFu + ((bits >> 16) & 1u);
  // The quiet bit keeps a NaN one whose payload is in the lower half.
  to.bits = static_cast<std::uint16_t>((value != value ? bits | 0x00400000u : rounded) >> 16);
}

}  // namespace gausscse::kernels::cuda
