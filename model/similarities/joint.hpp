#pragma once

#include "model/similarities/kullback_leibler.hpp"

namespace gausscse::kernels {

/// 1 / (1 + the sum over dimensions of kl) (paper, eq. 2), by the divergence 2 kl.
template <typename Math>
struct Joint : KullbackLeibler<Math, Joint<Math>>, SumOfDivergences {
  static constexpr float offset = -1;
  static constexpr bool has_joint_terms = true;
  static constexpr const char* in_python =
      "        kl = (np.exp(v[a] - v[b]) + (m[a] - m[b]) ** 2 / np.exp(v[b]) - 1 + v[b] - v[a]) / 2\n"
      "        return 1 / (1 + kl.sum(axis=-1))\n";

  template <typename Real, typename Count>
  GAUSSCSE_DEVICE static Real similarity(const Real& sum, const Count&) {
    return 1.0f / (1.0f + 0.5f * sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -0.5f * (similarity * similarity);
  }

  /// 2 kl + 1 is a sum of products, of [var_p + mean_p^2, mean_p] by [1 / var_q, -2 mean_q / var_q], and of terms of
  /// one side alone. It cancels where Gaussians are close: search bounds its rounding.
  static constexpr int products = 2;
  static constexpr double product_constant = -1;
  template <typename Real>
  static ProductTerms<Real, products> as_p(Real mean, Real log_var) {
    return {{Math::exp(log_var) + mean * mean, mean}, -log_var, absolute(log_var)};
  }
  template <typename Real>
  static ProductTerms<Real, products> as_q(Real mean, Real log_var) {
    const Real inverse = Math::exp(-log_var), slope = mean * inverse, energy = mean * slope;
    return {{inverse, -2.0f * slope}, energy + log_var, energy + absolute(log_var)};
  }
  static double sum_of(double similarity) { return 2 * (1 / similarity - 1); }
};

}  // namespace gausscse::kernels
