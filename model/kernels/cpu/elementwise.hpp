#pragma once

#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/sum_over_rows.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

struct GeluFloat {
  static float value(float x) { return gelu(x); }
  static float derivative(float x) {
    const NormalDistribution normal = normal_distribution(x);
    return normal.distribution + x * 0.39894228f * normal.gaussian;
  }
};

struct GeluDouble {
  static double distribution(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
  static double value(double x) { return x * distribution(x); }
  static double derivative(double x) { return distribution(x) + x * 0.39894228040143267794 * std::exp(-0.5 * x * x); }
};

template <typename T>
struct GeluOf;
template <>
struct GeluOf<float> : GeluFloat {};
template <>
struct GeluOf<double> : GeluDouble {};

template <typename T, typename Factor>
void bias_gelu(const KernelContext&, const Factor* x, const T* bias, std::int64_t rows, std::int64_t width,
               Factor* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const Factor* x_row = x + r * width;
    Factor* out_row = out + r * width;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) put(GeluOf<T>::value(value_of(x_row[c]) + bias[c]), out_row[c]);
  }
}

template <typename T, typename Factor>
void gelu_backward(const KernelContext&, Factor* grad, const Factor* x, const T* bias, RowShards rows,
                   std::int64_t width, T* grad_bias, Factor* activation) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, width, scratch, [=](std::int64_t r, T* part) {
    Factor* grad_row = grad + r * width;
    const Factor* x_row = x + r * width;
    Factor* activation_row = activation + r * width;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) {
      const T value = value_of(x_row[c]) + bias[c];
      const T gradient = value_of(grad_row[c]) * GeluOf<T>::derivative(value);
      put(GeluOf<T>::value(value), activation_row[c]);
      put(gradient, grad_row[c]);
      part[c] += gradient;
    }
  });
  add_to(sums, width, grad_bias);
}

template <typename T>
void embed(const KernelContext&, const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
           const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* word_row = word + ids[r] * hidden;
    const T* position_row = position + positions[r] * hidden;
    T* out_row = out + r * hidden;
    if (token_type) {
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) out_row[c] = word_row[c] + position_row[c] + token_type[c];
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) out_row[c] = word_row[c] + position_row[c];
    }
  }
}

template <typename T>
void round_to_bfloat16(const KernelContext&, const T* x, std::int64_t count, T* out) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(nearest_bfloat16(static_cast<float>(x[i])));
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
