#pragma once

#include "model/similarities/formula.hpp"

namespace gausscse::kernels {

/// Common part of the similarities by the Kullback-Leibler divergence
///
///   kl(p || q) = (energy - log_var_p + log_var_q - 1) / 2,  energy = (var_p + (mean_p - mean_q)^2) / var_q.
///
/// `Derived::offset` chooses the divergence: 2 kl + 1 + offset.
template <typename Math, typename Derived>
struct KullbackLeibler {
  static constexpr bool has_direction = true, is_scale_free = true;

  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(const Real& log_var) {
    return Math::exp(log_var);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real divergence(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    // Means far from the origin: their difference is squared, nothing is multiplied out.
    const Real difference = p.mean - q.mean;
    return (p.spread + difference * difference) * q.inverse + ((q.log_var + Derived::offset) - p.log_var);
  }

  /// With w = `weight` times the derivative by the divergence,
  ///
  ///   by mean_p: 2 w (mean_p - mean_q) / var_q      by log_var_p: w (var_p / var_q - 1)
  ///   by mean_q: -2 w (mean_p - mean_q) / var_q     by log_var_q: w (1 - energy)
  ///
  /// p gets the sums of w, w / var_q and w (mean_p - mean_q) / var_q; q gets those of w, w (mean_p - mean_q) and
  /// w energy var_q. The rest of these formulas belongs to the row alone: it is computed once, not for each pair.
  static constexpr int sums = 3;
  template <typename Real, typename Weight>
  GAUSSCSE_DEVICE static PairSums<Real, sums> pair_sums(const Gaussian<Real>& p, const Gaussian<Real>& q,
                                                        Weight weight) {
    const Real difference = p.mean - q.mean, square = p.spread + difference * difference;
    const Real w = Derived::term_backward(weight, square * q.inverse + ((q.log_var + Derived::offset) - p.log_var));
    const Real scaled = w * q.inverse;
    return {{w, scaled, scaled * difference}, {w, w * difference, w * square}};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static RowGradient<Real> row_gradient(const Gaussian<Real>& row, const Real (&as_p)[sums],
                                                        const Real (&as_q)[sums]) {
    return {2.0f * (as_p[2] - row.inverse * as_q[1]),
            (row.spread * as_p[1] - as_p[0]) + (as_q[0] - row.inverse * as_q[2])};
  }
};

}  // namespace gausscse::kernels
