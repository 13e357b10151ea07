#pragma once

#include "model/similarities/formula.hpp"

namespace gausscse::kernels {

/// 1 / (1 + the sum over dimensions of (kl(p || q) + kl(q || p)) / 2), by the divergence 2 (kl(p || q) + kl(q || p)):
///   var_p / var_q + var_q / var_p - 2 + (mean_p - mean_q)^2 (1 / var_p + 1 / var_q).
template <typename Math>
struct SymmetricKl : SumOfDivergences, GradientOf<SymmetricKl<Math>> {
  static constexpr bool has_direction = false, is_scale_free = true;
  static constexpr const char* in_python =
      "        r, d = np.exp(v[a] - v[b]), (m[a] - m[b]) ** 2\n"
      "        j = r + 1 / r - 2 + d / np.exp(v[a]) + d / np.exp(v[b])\n"
      "        return 1 / (1 + j.sum(axis=-1) / 4)\n";

  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(const Real& log_var) {
    return Math::exp(log_var);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real divergence(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const Real mean = p.mean - q.mean;
    return (p.spread * q.inverse - 1.0f) + (q.spread * p.inverse - 1.0f) + mean * mean * (p.inverse + q.inverse);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Derivatives<Real> derivatives(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const Real mean = p.mean - q.mean, square = mean * mean, by_mean = 2.0f * mean * (p.inverse + q.inverse);
    const Real of_p = (p.spread + square) * q.inverse, of_q = (q.spread + square) * p.inverse;
    return {by_mean, p.spread * q.inverse - of_q, -by_mean, q.spread * p.inverse - of_p};
  }
  template <typename Real, typename Count>
  GAUSSCSE_DEVICE static Real similarity(const Real& sum, const Count&) {
    return 1.0f / (1.0f + 0.25f * sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -0.25f * (similarity * similarity);
  }

  static constexpr int products = 4;
  static constexpr double product_constant = -2;
  template <typename Real>
  static ProductTerms<Real, products> as_p(Real mean, Real log_var) {
    const Real inverse = Math::exp(-log_var), slope = mean * inverse, energy = mean * slope;
    return {{Math::exp(log_var) + mean * mean, mean, inverse, slope}, energy, energy};
  }
  template <typename Real>
  static ProductTerms<Real, products> as_q(Real mean, Real log_var) {
    const ProductTerms<Real, products> p = as_p(mean, log_var);
    return {{p.factors[2], -2.0f * p.factors[3], p.factors[0], -2.0f * p.factors[1]}, p.rest, p.magnitude};
  }
  static double sum_of(double similarity) { return 4 * (1 / similarity - 1); }
};

}  // namespace gausscse::kernels
