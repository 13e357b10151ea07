#pragma once

#include "model/similarities/formula.hpp"

namespace gausscse::kernels {

/// 1 / (1 + the Bhattacharyya distance), the sum over dimensions of
///   (mean_p - mean_q)^2 / (4 v) + log(v / (2 s_p s_q)) / 2,  v = var_p + var_q, s the standard deviation.
template <typename Math>
struct Bhattacharyya : SumOfDivergences, GradientOf<Bhattacharyya<Math>> {
  static constexpr bool has_direction = false, is_scale_free = true;
  static constexpr const char* in_python =
      "        s = np.exp(v[a]) + np.exp(v[b])\n"
      "        d = (m[a] - m[b]) ** 2 / s / 4 + np.log(s / 2) / 2 - (v[a] + v[b]) / 4\n"
      "        return 1 / (1 + d.sum(axis=-1))\n";

  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(const Real& log_var) {
    return Math::exp(log_var);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real divergence(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const Real mean = p.mean - q.mean, variance = p.spread + q.spread;
    return 0.25f * (mean * mean * Math::reciprocal(variance) - (p.log_var + q.log_var)) +
           0.5f * Math::log(0.5f * variance);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Derivatives<Real> derivatives(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const Real mean = p.mean - q.mean, inverse = Math::reciprocal(p.spread + q.spread);
    const Real by_mean = 0.5f * mean * inverse, by_variance = 0.5f * inverse * (1.0f - mean * by_mean);
    return {by_mean, p.spread * by_variance - 0.25f, -by_mean, q.spread * by_variance - 0.25f};
  }
  template <typename Real, typename Count>
  GAUSSCSE_DEVICE static Real similarity(const Real& sum, const Count&) {
    return 1.0f / (1.0f + sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -(similarity * similarity);
  }
};

}  // namespace gausscse::kernels
