#pragma once

#include <bit>
#include <cmath>

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Arithmetic of numbers on a GPU, also for the similarities' headers. That of float takes the special functions' unit:
/// results that are rounded right would take longer than all the rest of a pair.
struct DeviceMath {
  __device__ static double exp(double x) { return ::exp(x); }
  /// Returns 2^x to within 2^-22 of it.
  __device__ static float exp2(float x) {
#ifdef __CUDACC__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return std::exp2(x);
#endif
  }
  /// Returns 1/x to within two units in the last place, and 0 for x near the end of the range.
  __device__ static float reciprocal(float x) {
#ifdef __CUDACC__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0f / x;
#endif
  }
  __device__ static double reciprocal(double x) {
    return 1.0 / x;
  }
};

/// Returns the number of the lowest bit that is set; `bits` is not 0.
__device__ inline int lowest_bit(unsigned bits) {
#ifdef __CUDACC__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

}  // namespace gausscse::kernels::cuda
