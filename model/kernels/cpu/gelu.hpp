#pragma once

#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Number x above which gelu(x) is x, and its derivative 1, up to 1e-6. Below its negative both are 0.
constexpr float gelu_end = 5.5f;

inline Register<float> at_most_gelu_end(const Register<float>& x) {
  const Register<float> end = Register<float>{} + gelu_end;
  return x > end ? end : x;
}
inline Register<float> at_least_minus_gelu_end(const Register<float>& x) {
  const Register<float> end = Register<float>{} - gelu_end;
  return x < end ? end : x;
}

/// Returns the distribution function of the standard normal distribution, for x within the ends, as 1/2 + x p(x^2);
/// error below 3e-7. The variable of the polynomial p is 2 (x / gelu_end)^2 - 1, from -1 to 1. Its coefficients, from
/// the highest power down, minimise the largest error, in float64 4e-8. The even and the odd powers are summed
/// separately, so that fewer instructions wait for each other.
inline Register<float> normal_distribution(const Register<float>& x) {
  constexpr int count = 15;
  static constexpr float coefficients[count] = {0.000538050837f, -0.0013688188f,  0.00102393457f, -0.00122943253f,
                                                0.00423626089f,  -0.00767463446f, 0.0104686981f,  -0.0146713853f,
                                                0.020287957f,    -0.0261124633f,  0.0320817456f,  -0.0387872681f,
                                                0.0477369912f,   -0.0641724765f,  0.12855193f};
  const Register<float> variable = x * x * (2 / (gelu_end * gelu_end)) - 1.0f, squared = variable * variable;
  Register<float> even = Register<float>{} + coefficients[0], odd = Register<float>{} + coefficients[1];
#pragma GCC unroll 16
  for (int i = 2; i + 1 < count; i += 2) {
    even = even * squared + coefficients[i];
    odd = odd * squared + coefficients[i + 1];
  }
  even = even * squared + coefficients[count - 1];
  return x * (odd * variable + even) + 0.5f;
}

/// Returns gelu(x) in the form with erf. NaN stays NaN.
inline Register<float> gelu(const Register<float>& x) {
  const Register<float> from_end = at_least_minus_gelu_end(x);
  return from_end * normal_distribution(at_most_gelu_end(from_end));
}

/// Returns the derivative of gelu; error below 1e-6. NaN stays NaN.
inline Register<float> gelu_derivative(const Register<float>& x) {
  const Register<float> within = at_most_gelu_end(at_least_minus_gelu_end(x));
  return normal_distribution(within) +
         0.39894228f * within *
             exponential_within_range<Register<float>, Register<std::uint32_t>>(-0.5f * within * within);
}

inline double normal_distribution(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}
inline Register<double> gelu(Register<double> x) {
  for (std::int64_t lane = 0; lane < RegisterOf<double>::width; ++lane) x[lane] *= normal_distribution(x[lane]);
  return x;
}
inline Register<double> gelu_derivative(Register<double> x) {
  for (std::int64_t lane = 0; lane < RegisterOf<double>::width; ++lane)
    x[lane] = normal_distribution(x[lane]) + x[lane] * 0.39894228040143267794 * std::exp(-0.5 * x[lane] * x[lane]);
  return x;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
