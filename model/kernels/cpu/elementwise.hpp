#pragma once

#include "model/kernels/cpu/gelu.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/sum_over_rows.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

template <typename T, typename Factor>
void bias_gelu(const KernelContext&, const Factor* x, const T* bias, std::int64_t rows, std::int64_t width,
               Factor* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<T>(width, [=](std::int64_t c, auto count) {
      const std::int64_t place = r * width + c;
      store_values(gelu(load_values(x + place, count) + load_some(bias + c, count)), out + place, count);
    });
}

template <typename T, typename Factor>
void gelu_backward(const KernelContext&, Factor* grad, const Factor* x, const T* bias, RowShards rows,
                   std::int64_t width, T* grad_bias, Factor* activation) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, width, scratch, [=](std::int64_t r, T* part) {
    for_each_register<T>(width, [=](std::int64_t c, auto count) {
      const std::int64_t place = r * width + c;
      const Register<T> value = load_values(x + place, count) + load_some(bias + c, count);
      const Register<T> gradient = load_values(grad + place, count) * gelu_derivative(value);
      store_values(gelu(value), activation + place, count);
      store_values(gradient, grad + place, count);
      store_some(part + c, load_some(part + c, count) + gradient, count);
    });
  });
  add_to(sums, width, grad_bias);
}

template <typename T>
void embed(const KernelContext&, const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
           const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* word_row = word + ids[r] * hidden;
    const T* position_row = position ? position + positions[r] * hidden : nullptr;
    T* out_row = out + r * hidden;
    if (!position) {
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) out_row[c] = token_type ? word_row[c] + token_type[c] : word_row[c];
    } else if (token_type) {
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
