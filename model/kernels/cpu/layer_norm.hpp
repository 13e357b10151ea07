#pragma once

#include "model/kernels/cpu/dropout.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/sum_over_rows.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Sum over a row's elements, in two vectors by turns, so that an addition need not wait for the one before.
template <typename T>
class RowSum {
 public:
  void add(const Register<T>& values) {
    const Register<T> sum = next_ + values;
    next_ = other_;
    other_ = sum;
  }
  T total() const { return horizontal_sum<T>(next_ + other_); }

 private:
  Register<T> next_{}, other_{};
};

template <typename T, typename Factor>
void add_layer_norm(const KernelContext&, const Factor* x, const T* bias, const T* residual, const T* gamma,
                    const T* beta, double epsilon, const DropoutSite& dropout, const DropoutSite& output_dropout,
                    RowIdentity identity, std::int64_t rows, std::int64_t hidden, T* out, Factor* factor, T* sum,
                    T* normalized, T* inverse_deviation) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t row = r * hidden;
    T* values = out + row;
    const auto x_with_bias = [=](std::int64_t c, auto count) {
      return load_values(x + row + c, count) + load_some(bias + c, count);
    };
    const bool drops = x && dropout.active();
    if (drops) {
      for_each_register<T>(hidden,
                           [=](std::int64_t c, auto count) { store_some(values + c, x_with_bias(c, count), count); });
      apply_dropout(dropout, identity.sample[r], identity.position[r], hidden, values);
    }
    RowSum<T> total, squares;
    for_each_register<T>(hidden, [=, &total](std::int64_t c, auto count) {
      Register<T> value{};
      if (x) value = drops ? load_some(values + c, count) : x_with_bias(c, count);
      if (residual) value += load_some(residual + row + c, count);
      store_some(values + c, value, count);
      if (sum) store_some(sum + row + c, value, count);
      total.add(value);
    });
    const T mean = total.total() / static_cast<T>(hidden);
    for_each_register<T>(hidden, [=, &squares](std::int64_t c, auto count) {
      Register<T> difference{};
      store_some(reinterpret_cast<T*>(&difference), load_some(values + c, count) - mean, count);
      squares.add(difference * difference);
    });
    const T inverse = T{1} / std::sqrt(squares.total() / static_cast<T>(hidden) + static_cast<T>(epsilon));
    if (normalized) inverse_deviation[r] = inverse;
    const bool drops_output = output_dropout.active();
    for_each_register<T>(hidden, [=](std::int64_t c, auto count) {
      const Register<T> kept = (load_some(values + c, count) - mean) * inverse;
      if (normalized) store_some(normalized + row + c, kept, count);
      const Register<T> value = kept * load_some(gamma + c, count) + load_some(beta + c, count);
      store_some(values + c, value, count);
      if (factor && !drops_output) store_values(value, factor + row + c, count);
    });
    if (!drops_output) continue;
    apply_dropout(output_dropout, identity.sample[r], identity.position[r], hidden, values);
    if (factor)
      for_each_register<T>(hidden, [=](std::int64_t c, auto count) {
        store_values(load_some(values + c, count), factor + row + c, count);
      });
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
void add_layer_norm_backward(const KernelContext&, T* grad_out, const Factor* grad_addend, bool of_sum,
                             const T* normalized, const T* inverse_deviation, const T* gamma,
                             const DropoutSite& dropout, const DropoutSite& output_dropout, RowIdentity identity,
                             RowShards rows, std::int64_t hidden, T* grad_residual, Factor* grad_x, T* grad_gamma,
                             T* grad_beta, T* grad_bias) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, 3 * hidden, scratch, [=](std::int64_t r, T* part) {
    const std::int64_t row = r * hidden;
    T* grad = grad_out + row;
    const auto add = [](T* to, const Register<T>& values, auto count) {
      store_some(to, load_some(to, count) + values, count);
    };
    const bool drops_output = output_dropout.active();
    if (drops_output) {
      if (grad_addend)
        for_each_register<T>(hidden, [=](std::int64_t c, auto count) {
          add(grad + c, load_values(grad_addend + row + c, count), count);
        });
      apply_dropout(output_dropout, identity.sample[r], identity.position[r], hidden, grad);
    }
    RowSum<T> sum, projection;
    for_each_register<T>(hidden, [=, &sum, &projection](std::int64_t c, auto count) {
      Register<T> gradient{};
      if (of_sum) {
        gradient = load_values(grad_addend + row + c, count);
      } else {
        gradient = load_some(grad + c, count);
        if (grad_addend && !drops_output) gradient += load_values(grad_addend + row + c, count);
        store_some(grad + c, gradient, count);
      }
      const Register<T> value = load_some(normalized + row + c, count);
      add(part + c, gradient * value, count);
      add(part + hidden + c, gradient, count);
      const Register<T> scaled = gradient * load_some(gamma + c, count);
      sum.add(scaled);
      projection.add(scaled * value);
    });
    const T mean = sum.total() / static_cast<T>(hidden), mean_projection = projection.total() / static_cast<T>(hidden);
    const T inverse = inverse_deviation[r];
    for_each_register<T>(hidden, [=](std::int64_t c, auto count) {
      const Register<T> gradient = of_sum ? load_values(grad_addend + row + c, count) : load_some(grad + c, count);
      const Register<T> scaled = gradient * load_some(gamma + c, count);
      Register<T> target = (scaled - mean - load_some(normalized + row + c, count) * mean_projection) * inverse;
      if (of_sum) target += load_some(grad + c, count);
      store_some(grad_residual + row + c, target, count);
      // The row of grad_out is free for the gradient of x before it is rounded.
      if (grad_x) store_some(grad + c, target, count);
    });
    if (!grad_x) return;
    if (dropout.active()) apply_dropout(dropout, identity.sample[r], identity.position[r], hidden, grad);
    for_each_register<T>(hidden, [=](std::int64_t c, auto count) {
      const Register<T> gradient = load_some(grad + c, count);
      add(part + 2 * hidden + c, gradient, count);
      store_values(gradient, grad_x + row + c, count);
    });
  });
  add_to(sums, hidden, grad_gamma);
  if (grad_beta) add_to(sums + hidden, hidden, grad_beta);
  if (grad_x && grad_bias) add_to(sums + 2 * hidden, hidden, grad_bias);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
