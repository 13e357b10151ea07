#pragma once

#include <bit>
#include <cmath>

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Arithmetic of numbers on a GPU, also for the similarities' headers. That of float takes the special functions' unit:
/// results that are rounded right would take longer than all the rest of a pair.
struct DeviceMath {
  __device__ static double exp(double x) { return ::exp(x); }
  __device__ static float exp(float x) { return exp2(1.44269504f * x); }
  __device__ static double log(double x) { return ::log(x); }
  __device__ static float log(float x) { return 0.69314718f * log2(x); }
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
  /// Returns the larger of two numbers, or the only one that is a number.
  __device__ static float larger(float a, float b) {
    return ::fmaxf(a, b);
  }
  /// Returns the logarithm of x to the base of 2 to within 2^-22, or to as much of its magnitude.
  __device__ static float log2(float x) {
#ifdef __CUDACC__
    float result;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return std::log2(x);
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
  /// Returns 1/x to within two units in the last place. A division would call a function for rare x, whose registers
  /// the whole kernel needs.
  __device__ static double reciprocal(double x) {
#ifdef __CUDACC__
    double result;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
    // The inverse of infinity is right as it is.
    if (result != 0)
      for (int i = 0; i < 2; ++i) result += result * (1.0 - x * result);
    return result;
#else
    return 1.0 / x;
#endif
  }
};

/// A number of float64 whose division calls no function, for formulas that divide.
struct Quotient {
  double value;

  __device__ Quotient(double of) : value(of) {}
  __device__ friend Quotient operator+(Quotient a, Quotient b) { return a.value + b.value; }
  __device__ friend Quotient operator*(Quotient a, Quotient b) { return a.value * b.value; }
  __device__ friend Quotient operator/(Quotient a, Quotient b) { return a.value * DeviceMath::reciprocal(b.value); }
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
