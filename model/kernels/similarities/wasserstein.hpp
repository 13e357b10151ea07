#pragma once

#include "model/kernels/similarities/gaussian.hpp"

namespace gausscse::kernels {

/// 1 / (1 + W2^2), with the 2-Wasserstein distance of Gaussians p and q of diagonal covariance,
///   W2^2 = sum over dimensions of (mean_p - mean_q)^2 + (s_p - s_q)^2,  s the standard deviation.
/// It has no direction. See KullbackLeibler for what each member is.
template <typename Math>
struct Wasserstein {
  static constexpr bool is_scale_free = false;
  static constexpr float spread_of_padding = 1;
  static constexpr bool slope_needs_similarity = true;
  static constexpr int sums = 2;

  /// Returns whether float leaves its range: the square of a standard deviation above e^40 does.
  static bool needs_double(double, double highest_log_var) { return highest_log_var > 80.0; }
  /// Returns the standard deviation.
  template <typename Real>
  GAUSSCSE_DEVICE static Real spread(Real log_var) {
    return Math::exp(Real{0.5} * log_var);
  }

  /// W2^2 = |x_p|^2 + |x_q|^2 - 2 <x_p, x_q> with x = [mean, s]. See Joint.
  static constexpr bool is_inner_product = true;
  static constexpr double product_constant = 0;
  template <typename Real>
  static ProductTerms<Real> as_p(Real mean, Real log_var) {
    const Real deviation = Math::exp(0.5f * log_var), square = mean * mean + deviation * deviation;
    return {mean, deviation, square, square};
  }
  template <typename Real>
  static ProductTerms<Real> as_q(Real mean, Real log_var) {
    const ProductTerms<Real> p = as_p(mean, log_var);
    return {-2.0f * p.first, -2.0f * p.second, p.rest, p.magnitude};
  }
  static double sum_of_products(double similarity) { return 1 / similarity - 1; }

  template <typename Real>
  struct Side {
    Real mean, spread;
  };
  template <typename Real>
  using Candidate = Side<Real>;
  template <typename Real>
  using Anchor = Side<Real>;
  template <typename Real>
  GAUSSCSE_DEVICE static Side<Real> candidate(const Gaussian<Real>& p) {
    return {p.mean, p.spread};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Side<Real> anchor(const Gaussian<Real>& q) {
    return {q.mean, q.spread};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Side<Real> gradient_anchor(const Gaussian<Real>& q) {
    return {q.mean, q.spread};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real summand(const Side<Real>& p, const Side<Real>& q) {
    const Real mean = p.mean - q.mean, spread = p.spread - q.spread;
    return mean * mean + spread * spread;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real similarity(Real sum, Real) {
    return Real{1} / (Real{1} + sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -similarity * similarity;
  }

  /// Adds a pair to the sums of both rows. With d s / d log_var = s / 2, the derivatives of the summand are
  ///
  ///   by mean_p: 2 (mean_p - mean_q)    by log_var_p: s_p (s_p - s_q)
  ///   by mean_q: -2 (mean_p - mean_q)   by log_var_q: -s_q (s_p - s_q)
  ///
  /// Both get the sums of w (mean_p - mean_q) and w (s_p - s_q).
  template <typename Weight, typename Real>
  static void add_pair(const Side<Real>& p, const Side<Real>& q, Weight weight, Real (&of_p)[sums],
                       Real (&of_q)[sums]) {
    const Real mean = weight * (p.mean - q.mean), spread = weight * (p.spread - q.spread);
    of_p[0] += mean;
    of_p[1] += spread;
    of_q[0] += mean;
    of_q[1] += spread;
  }
  template <typename Real>
  static RowGradient<Real> row_gradient(const Gaussian<Real>& row, const Real (&as_p)[sums], const Real (&as_q)[sums]) {
    return {Real{2} * (as_p[0] - as_q[0]), row.spread * (as_p[1] - as_q[1])};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static void add_to_both(const Gaussian<Real>& p, const Gaussian<Real>& q, Real weight, Real& mean_p,
                                          Real& half_log_var_p, Real& mean_q, Real& half_log_var_q) {
    const Real w = Real{2} * weight, mean = w * (p.mean - q.mean), spread = w * (p.spread - q.spread);
    mean_p += mean;
    half_log_var_p += p.spread * spread;
    mean_q -= mean;
    half_log_var_q -= q.spread * spread;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real mean_of_anchor(const Gaussian<Real>&, Real sum) {
    return sum;
  }

  template <typename Real>
  GAUSSCSE_DEVICE static double wide_summand(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    return exact_summand(static_cast<double>(p.mean), static_cast<double>(p.log_var), static_cast<double>(q.mean),
                         static_cast<double>(q.log_var));
  }
  template <typename Real>
  GAUSSCSE_DEVICE static PairGradient<double> wide_pair_gradient(const Gaussian<Real>& p, const Gaussian<Real>& q) {
    return gradient_of(static_cast<double>(p.mean) - static_cast<double>(q.mean),
                       spread(static_cast<double>(p.log_var)), spread(static_cast<double>(q.log_var)));
  }

  GAUSSCSE_DEVICE static double exact_summand(double mean_p, double log_var_p, double mean_q, double log_var_q) {
    return summand(Side<double>{mean_p, spread(log_var_p)}, Side<double>{mean_q, spread(log_var_q)});
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real exact_similarity(const Real& sum, double) {
    return 1.0 / (1.0 + sum);
  }
  template <typename Real>
  static Real symmetric_summand(const Real& mean_p, const Real& log_var_p, const Real& mean_q, const Real& log_var_q) {
    const Real mean = mean_p - mean_q, deviation = Math::exp(0.5 * log_var_p) - Math::exp(0.5 * log_var_q);
    return mean * mean + deviation * deviation;
  }

 private:
  template <typename Real>
  GAUSSCSE_DEVICE static PairGradient<Real> gradient_of(Real mean, Real spread_p, Real spread_q) {
    const Real spread = spread_p - spread_q;
    return {Real{2}, mean, spread_p * spread, -mean, -spread_q * spread};
  }
};

}  // namespace gausscse::kernels
