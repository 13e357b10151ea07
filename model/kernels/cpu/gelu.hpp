#pragma once

#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Number x above which gelu(x) is x, and its derivative 1, up to 1e-6. Below its negative both are 0.
constexpr float gelu_end = 5.5f;

/// Returns 1/2 + x p(x^2), for x within the ends: a function that rises from 0 to 1, odd around the point (0, 1/2). The
/// variable of the polynomial p is 2 (x / gelu_end)^2 - 1, from -1 to 1. `coefficients` begins with the one of the
/// highest power. The even and the odd powers are summed separately, so that fewer instructions wait for each other.
/// The polynomials below minimise the largest error of the result. They were fitted in float64, where it is 4e-8.
template <int count>
inline Vector<float> odd_around_half(const Vector<float>& x, const float (&coefficients)[count]) {
  const Vector<float> variable = x * x * (2 / (gelu_end * gelu_end)) - 1.0f, square = variable * variable;
  Vector<float> sums[2] = {Vector<float>{} + coefficients[0], Vector<float>{} + coefficients[1]};
#pragma GCC unroll 16
  for (int i = 2; i < count; ++i) sums[i % 2] = sums[i % 2] * square + coefficients[i];
  return x * (sums[count % 2] * variable + sums[(count + 1) % 2]) + 0.5f;
}

inline Vector<float> at_most_gelu_end(const Vector<float>& x) {
  return smaller<float>(Vector<float>{} + gelu_end, x);
}
inline Vector<float> at_least_minus_gelu_end(const Vector<float>& x) {
  return larger<float>(Vector<float>{} - gelu_end, x);
}

/// Returns the distribution function of the standard normal distribution, for x within the ends; error below 3e-7.
inline Vector<float> normal_distribution(const Vector<float>& x) {
  static constexpr float coefficients[] = {0.000538050837f, -0.0013688188f,  0.00102393457f, -0.00122943253f,
                                           0.00423626089f,  -0.00767463446f, 0.0104686981f,  -0.0146713853f,
                                           0.020287957f,    -0.0261124633f,  0.0320817456f,  -0.0387872681f,
                                           0.0477369912f,   -0.0641724765f,  0.12855193f};
  return odd_around_half(x, coefficients);
}

/// Returns gelu(x) in the form with erf. NaN stays NaN.
inline Vector<float> gelu(const Vector<float>& x) {
  const Vector<float> from_end = at_least_minus_gelu_end(x);
  return from_end * normal_distribution(at_most_gelu_end(from_end));
}

/// Returns the derivative of gelu; error below 1e-6. NaN stays NaN.
inline Vector<float> gelu_derivative(const Vector<float>& x) {
  static constexpr float coefficients[] = {
      0.00222311122f, -0.00578246219f, 0.00366545352f, -0.00337160937f, 0.0171286315f, -0.0320751704f,
      0.0391444638f,  -0.0500892736f,  0.0652597547f,  -0.0740428418f,  0.074235186f,  -0.0686427951f,
      0.060315758f,   -0.0537436791f,  0.0536651798f,  -0.0657397136f,  0.128759205f};
  return odd_around_half(at_most_gelu_end(at_least_minus_gelu_end(x)), coefficients);
}

inline double normal_distribution(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}
inline Vector<double> gelu(Vector<double> x) {
  for (std::int64_t lane = 0; lane < VectorOf<double>::width; ++lane) x[lane] *= normal_distribution(x[lane]);
  return x;
}
inline Vector<double> gelu_derivative(Vector<double> x) {
  for (std::int64_t lane = 0; lane < VectorOf<double>::width; ++lane)
    x[lane] = normal_distribution(x[lane]) + x[lane] * 0.39894228040143267794 * std::exp(-0.5 * x[lane] * x[lane]);
  return x;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
