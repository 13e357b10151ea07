#pragma once

#include "model/kernels/cpu/gelu.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Returns 1 / (1 + e^-x). In float32 its error is below 1e-6; NaN stays NaN.
inline Register<float> logistic(const Register<float>& x) {
  const Register<float> end = Register<float>{} + 87.0f, low = x < -end ? -end : x, within = low > end ? end : low;
  return 1.0f / (1.0f + exponential_within_range<Register<float>, Register<std::uint32_t>>(-within));
}
inline Register<double> logistic(Register<double> x) {
  for (std::int64_t lane = 0; lane < RegisterOf<double>::width; ++lane) x[lane] = 1 / (1 + std::exp(-x[lane]));
  return x;
}

/// Returns the activation of x.
template <typename Values>
inline Values activated(Activation activation, const Values& x) {
  return activation == Activation::gelu ? gelu(x) : x * logistic(x);
}
/// Returns its derivative.
template <typename Values>
inline Values activation_derivative(Activation activation, const Values& x) {
  if (activation == Activation::gelu) return gelu_derivative(x);
  const Values of_x = logistic(x);
  return of_x + x * of_x * (1 - of_x);
}

template <typename T, typename Factor>
void gate(const KernelContext&, Activation activation, const Factor* x, std::int64_t rows, std::int64_t width,
          Factor* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const Factor* const a = x + r * 2 * width;
    for_each_register<T>(width, [=](std::int64_t c, auto count) {
      const Register<T> value = activated<Register<T>>(activation, load_values(a + c, count));
      store_values(value * load_values(a + width + c, count), out + r * width + c, count);
    });
  }
}

template <typename T, typename Factor>
void gate_backward(const KernelContext&, Activation activation, const Factor* grad, const Factor* x, std::int64_t rows,
                   std::int64_t width, Factor* grad_x, Factor* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const Factor* const a = x + r * 2 * width;
    Factor* const grad_a = grad_x + r * 2 * width;
    for_each_register<T>(width, [=](std::int64_t c, auto count) {
      const Register<T> of_a = load_values(a + c, count), b = load_values(a + width + c, count);
      const Register<T> gradient = load_values(grad + r * width + c, count), value = activated(activation, of_a);
      store_values(gradient * b * activation_derivative(activation, of_a), grad_a + c, count);
      store_values(gradient * value, grad_a + width + c, count);
      store_values(value * b, out + r * width + c, count);
    });
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
