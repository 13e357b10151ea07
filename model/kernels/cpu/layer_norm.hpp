#pragma once

#include "model/kernels/cpu/dropout.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/sum_over_rows.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

template <typename T, typename Factor>
void add_layer_norm(const KernelContext&, const Factor* x, const T* bias, const T* residual, const T* gamma,
                    const T* beta, double epsilon, const DropoutSite& dropout, const DropoutSite& output_dropout,
                    RowIdentity identity, std::int64_t rows, std::int64_t hidden, T* out, Factor* factor, T* normalized,
                    T* inverse_deviation) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    T* sum = out + r * hidden;
    const T* residual_row = residual ? residual + r * hidden : nullptr;
    if (x) {
      const Factor* x_row = x + r * hidden;
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) sum[c] = value_of(x_row[c]) + bias[c];
    } else if (sum != residual_row) {
      std::memcpy(sum, residual_row, sizeof(T) * static_cast<std::size_t>(hidden));
    }
    if (dropout.active()) apply_dropout(dropout, identity.sample[r], identity.position[r], hidden, sum);
    T total = 0;
    if (x && residual) {
#pragma omp simd reduction(+ : total)
      for (std::int64_t c = 0; c < hidden; ++c) {
        sum[c] += residual_row[c];
        total += sum[c];
      }
    } else {
#pragma omp simd reduction(+ : total)
      for (std::int64_t c = 0; c < hidden; ++c) total += sum[c];
    }
    const T mean = total / static_cast<T>(hidden);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t c = 0; c < hidden; ++c) squares += (sum[c] - mean) * (sum[c] - mean);
    const T inverse = T{1} / std::sqrt(squares / static_cast<T>(hidden) + static_cast<T>(epsilon));
    if (normalized) {
      T* kept = normalized + r * hidden;
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) kept[c] = (sum[c] - mean) * inverse;
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) sum[c] = kept[c] * gamma[c] + beta[c];
      inverse_deviation[r] = inverse;
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) sum[c] = (sum[c] - mean) * inverse * gamma[c] + beta[c];
    }
    if (output_dropout.active()) apply_dropout(output_dropout, identity.sample[r], identity.position[r], hidden, sum);
    if (factor) {
      Factor* factor_row = factor + r * hidden;
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) put(sum[c], factor_row[c]);
    }
  }
}

template <typename T, typename Factor>
void add_column_sums(const KernelContext&, const Factor* x, RowShards rows, std::int64_t width, T* sum) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, width, scratch, [=](std::int64_t r, T* part) {
    const Factor* row = x + r * width;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) part[c] += value_of(row[c]);
  });
  add_to(sums, width, sum);
}

template <typename T, typename Factor>
void add_layer_norm_backward(const KernelContext&, T* grad_out, const Factor* grad_addend, const T* normalized,
                             const T* inverse_deviation, const T* gamma, const DropoutSite& dropout,
                             const DropoutSite& output_dropout, RowIdentity identity, RowShards rows,
                             std::int64_t hidden, T* grad_residual, Factor* grad_x, T* grad_gamma, T* grad_beta,
                             T* grad_bias) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, 3 * hidden, scratch, [=](std::int64_t r, T* part) {
    T* grad = grad_out + r * hidden;
    const T* value = normalized + r * hidden;
    T* target = grad_residual + r * hidden;
    T* gamma_part = part;
    T* beta_part = part + hidden;
    T* bias_part = part + 2 * hidden;
    if (grad_addend) {
      const Factor* addend = grad_addend + r * hidden;
#pragma omp simd
      for (std::int64_t c = 0; c < hidden; ++c) grad[c] += value_of(addend[c]);
    }
    if (output_dropout.active()) apply_dropout(output_dropout, identity.sample[r], identity.position[r], hidden, grad);
    T sum = 0, projection = 0;
#pragma omp simd reduction(+ : sum, projection)
    for (std::int64_t c = 0; c < hidden; ++c) {
      gamma_part[c] += grad[c] * value[c];
      beta_part[c] += grad[c];
      const T scaled = grad[c] * gamma[c];
      sum += scaled;
      projection += scaled * value[c];
    }
    sum /= static_cast<T>(hidden);
    projection /= static_cast<T>(hidden);
    const T inverse = inverse_deviation[r];
#pragma omp simd
    for (std::int64_t c = 0; c < hidden; ++c) target[c] = (grad[c] * gamma[c] - sum - value[c] * projection) * inverse;
    if (!grad_x) return;
    // The row of grad_out is free for the gradient of x before it is rounded.
    std::memcpy(grad, target, sizeof(T) * static_cast<std::size_t>(hidden));
    if (dropout.active()) apply_dropout(dropout, identity.sample[r], identity.position[r], hidden, grad);
    Factor* x_row = grad_x + r * hidden;
#pragma omp simd
    for (std::int64_t c = 0; c < hidden; ++c) {
      bias_part[c] += grad[c];
      put(grad[c], x_row[c]);
    }
  });
  add_to(sums, hidden, grad_gamma);
  add_to(sums + hidden, hidden, grad_beta);
  if (grad_x) add_to(sums + 2 * hidden, hidden, grad_bias);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
