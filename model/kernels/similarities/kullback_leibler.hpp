#pragma once

#include <cmath>

#include "model/kernels/similarities/gaussian.hpp"

namespace gausscse::kernels {

/// Common part of the similarities by the Kullback-Leibler divergence. For dimension d of Gaussians p and q,
///
///   kl = (energy - log_var_p + log_var_q - 1) / 2,  energy = (var_p + (mean_p - mean_q)^2) / var_q.
///
/// Kernels compute x = 2 kl + 2, which needs neither a special function nor a division for a pair. `Derived` derives
/// from it, and defines the rest of the formula:
///
///   offset                 x + offset - 1 is the argument of `part`
///   part(x + offset - 1)   the summand of a pair
///   exact_part(kl)         the same of the divergence itself, for evaluation
///   factor(x)              derivative of the summand by kl, less the part in `slope`
template <typename Math, typename Derived>
struct KullbackLeibler {
  /// A row's log-variances may be shifted, and its means scaled by as much, without changing a pair: both rows'
  /// variances are divided by the same number.
  static constexpr bool is_scale_free = true;
  static constexpr int sums = 3;  ///< number that the gradient of a row takes, see add_pair

  /// Returns whether float leaves its range: products of variances and inverses that lie e^80 apart do.
  static bool needs_double(double lowest_log_var, double highest_log_var) {
    return highest_log_var - lowest_log_var > 80.0;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(Real log_var) {
    return Math::exp(log_var);
  }

  /// Values of p that a pair needs.
  template <typename Real>
  struct Candidate {
    Real mean, spread, log_var;
  };
  template <typename Real>
  GAUSSCSE_DEVICE static Candidate<Real> candidate(const Gaussian<Real>& p) {
    return {p.mean, p.spread, p.log_var};
  }
  /// Values of q that a pair needs.
  template <typename Real>
  struct Anchor {
    Real mean, inverse, offset;
  };
  template <typename Real>
  GAUSSCSE_DEVICE static Anchor<Real> anchor(const Gaussian<Real>& q) {
    return {q.mean, q.inverse, q.log_var + Derived::offset};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real summand(const Candidate<Real>& p, const Anchor<Real>& q) {
    // Means far from the origin: their difference is squared, nothing is multiplied out.
    const Real difference = p.mean - q.mean;
    return Derived::part((p.spread + difference * difference) * q.inverse + (q.offset - p.log_var));
  }

  /// Returns the same for the gradient.
  template <typename Real>
  GAUSSCSE_DEVICE static Anchor<Real> gradient_anchor(const Gaussian<Real>& q) {
    return {q.mean, q.inverse, q.log_var + 1.0f};
  }
  /// Adds a pair to the sums of both rows, whose derivative by the summand is `weight`. With w the derivative by kl,
  ///
  ///   d kl / d mean_p = (mean_p - mean_q) / var_q       d kl / d log_var_p = (var_p / var_q - 1) / 2
  ///   d kl / d mean_q = -(mean_p - mean_q) / var_q      d kl / d log_var_q = (1 - energy) / 2
  ///
  /// p gets the sums of w, w / var_q, w (mean_p - mean_q) / var_q; q gets those of w, w (mean_p - mean_q), w energy
  /// var_q. The rest of these formulas belongs to the row alone: `row_gradient` has it.
  template <typename Weight, typename Real>
  static void add_pair(const Candidate<Real>& p, const Anchor<Real>& q, Weight weight, Real (&of_p)[sums],
                       Real (&of_q)[sums]) {
    const Real difference = p.mean - q.mean;
    const Real square = p.spread + difference * difference;
    const Real x = square * q.inverse + (q.offset - p.log_var);
    const Real w = Derived::weighted_factor(weight, x);
    const Real scaled = w * q.inverse;
    of_q[0] += w;
    of_q[1] += w * difference;
    of_q[2] += w * square;
    of_p[0] += w;
    of_p[1] += scaled;
    of_p[2] += scaled * difference;
  }
  template <typename Real>
  static RowGradient<Real> row_gradient(const Gaussian<Real>& row, const Real (&as_p)[sums], const Real (&as_q)[sums]) {
    return {as_p[2] - row.inverse * as_q[1],
            Real{0.5} * ((row.spread * as_p[1] - as_p[0]) + (as_q[0] - row.inverse * as_q[2]))};
  }

  // Gradients of both sides, for GPUs: by the mean and by half the log-variance.

  /// Adds a pair to the gradients of both rows. `mean_of_anchor` makes that of q by the mean from the sum.
  template <typename Real>
  GAUSSCSE_DEVICE static void add_to_both(const Gaussian<Real>& p, const Gaussian<Real>& q, Real weight, Real& mean_p,
                                          Real& half_log_var_p, Real& mean_q, Real& half_log_var_q) {
    const Real difference = p.mean - q.mean, square = p.spread + difference * difference;
    const Real w = weight * Derived::factor(square * q.inverse + (q.log_var + Real{1} - p.log_var));
    mean_p += w * q.inverse * difference;
    half_log_var_p += w * (p.spread * q.inverse - Real{1});
    mean_q += w * difference;
    half_log_var_q += w * (Real{1} - square * q.inverse);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real mean_of_anchor(const Gaussian<Real>& q, Real sum) {
    return -q.inverse * sum;
  }

  // For any rows: in float64, from differences of log-variances, which takes special functions for each pair.

  template <typename Real>
  GAUSSCSE_DEVICE static double wide_summand(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    return Derived::part(wide_pair(p, q).x + (static_cast<double>(Derived::offset) - 1.0));
  }
  template <typename Real>
  GAUSSCSE_DEVICE static PairGradient<double> wide_pair_gradient(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const WidePair pair = wide_pair(p, q);
    return gradient_of(pair.slope, pair.ratio, pair.energy, pair.x);
  }

  /// Returns a summand of evaluation, from means and log-variances.
  GAUSSCSE_DEVICE static double exact_summand(double mean_p, double log_var_p, double mean_q, double log_var_q) {
    const double log_ratio = log_var_p - log_var_q, difference = mean_p - mean_q;
    const double inverse = Math::exp(-log_var_q);
    return Derived::exact_part(0.5 * (Math::exp(log_ratio) + difference * difference * inverse - 1.0 - log_ratio));
  }
  /// Returns a summand of the similarity without a direction, by (kl(p || q) + kl(q || p)) / 2. `Real` is double, or a
  /// tensor of as many dimensions and pairs.
  template <typename Real>
  static Real symmetric_summand(const Real& mean_p, const Real& log_var_p, const Real& mean_q, const Real& log_var_q) {
    const Real difference = mean_p - mean_q;
    return Derived::exact_part((Math::exp(log_var_p - log_var_q) + Math::exp(log_var_q - log_var_p) - 2 +
                                difference * difference * (Math::exp(-log_var_p) + Math::exp(-log_var_q))) /
                               4);
  }

 private:
  struct WidePair {
    double slope, ratio, energy, x;
  };
  template <typename Real>
  GAUSSCSE_DEVICE static WidePair wide_pair(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    const double log_var_q = static_cast<double>(q.log_var), log_ratio = static_cast<double>(p.log_var) - log_var_q;
    const double inverse_deviation = Math::exp(-0.5 * log_var_q), ratio = Math::exp(log_ratio);
    const double standardised = (static_cast<double>(p.mean) - static_cast<double>(q.mean)) * inverse_deviation;
    const double energy = ratio + standardised * standardised;
    return {standardised * inverse_deviation, ratio, energy, energy - log_ratio + 1.0};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static PairGradient<Real> gradient_of(Real slope, Real ratio, Real energy, Real x) {
    return {Derived::factor(x), slope, ratio - Real{1}, -slope, Real{1} - energy};
  }
};

}  // namespace gausscse::kernels
