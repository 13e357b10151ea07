#pragma once

#include "model/similarities/formula.hpp"

namespace gausscse::kernels {

/// 1 / (1 + W2^2), with the 2-Wasserstein distance of Gaussians p and q of diagonal covariance,
///   W2^2 = sum over dimensions of (mean_p - mean_q)^2 + (s_p - s_q)^2,  s the standard deviation.
template <typename Math>
struct Wasserstein : SumOfDivergences {
  static constexpr bool has_direction = false, is_scale_free = false;
  static constexpr const char* euclidean_vectors = "[mean, exp(log_var / 2)]";
  static constexpr const char* in_python =
      "        d = (m[a] - m[b]) ** 2 + (np.exp(v[a] / 2) - np.exp(v[b] / 2)) ** 2\n"
      "        return 1 / (1 + d.sum(axis=-1))\n";

  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(const Real& log_var) {
    return Math::exp(0.5f * log_var);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real divergence(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const Real mean = p.mean - q.mean, spread = p.spread - q.spread;
    return mean * mean + spread * spread;
  }
  template <typename Real, typename Count>
  GAUSSCSE_DEVICE static Real similarity(const Real& sum, const Count&) {
    return 1.0f / (1.0f + sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -(similarity * similarity);
  }

  /// With d s / d log_var = s / 2, the derivatives of the divergence are
  ///
  ///   by mean_p: 2 (mean_p - mean_q)    by log_var_p: s_p (s_p - s_q)
  ///   by mean_q: -2 (mean_p - mean_q)   by log_var_q: -s_q (s_p - s_q)
  ///
  /// Both rows get the sums of w (mean_p - mean_q) and w (s_p - s_q).
  static constexpr int sums = 2;
  template <typename Real, typename Weight>
  GAUSSCSE_DEVICE static PairSums<Real, sums> pair_sums(const Gaussian<Real>& p, const Gaussian<Real>& q,
                                                        Weight weight) {
    const Real mean = weight * (p.mean - q.mean), spread = weight * (p.spread - q.spread);
    return {{mean, spread}, {mean, spread}};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static RowGradient<Real> row_gradient(const Gaussian<Real>& row, const Real (&as_p)[sums],
                                                        const Real (&as_q)[sums]) {
    return {2.0f * (as_p[0] - as_q[0]), row.spread * (as_p[1] - as_q[1])};
  }

  /// W2^2 = |x_p|^2 + |x_q|^2 - 2 <x_p, x_q> with x = [mean, s].
  static constexpr int products = 2;
  static constexpr double product_constant = 0;
  template <typename Real>
  static ProductTerms<Real, products> as_p(Real mean, Real log_var) {
    const Real deviation = spread(log_var), square = mean * mean + deviation * deviation;
    return {{mean, deviation}, square, square};
  }
  template <typename Real>
  static ProductTerms<Real, products> as_q(Real mean, Real log_var) {
    const ProductTerms<Real, products> p = as_p(mean, log_var);
    return {{-2.0f * p.factors[0], -2.0f * p.factors[1]}, p.rest, p.magnitude};
  }
  static double sum_of(double similarity) { return 1 / similarity - 1; }
};

}  // namespace gausscse::kernels
