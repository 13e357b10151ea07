#pragma once

#include "model/kernels/similarities/kullback_leibler.hpp"

namespace gausscse::kernels {

/// 1 / (1 + the sum over dimensions of kl) (paper, eq. 2). With x = 2 kl + 2, a summand is x - 2.
template <typename Math>
struct Joint : KullbackLeibler<Math, Joint<Math>> {
  static constexpr float offset = -1;
  /// Variance of a dimension that is only there to fill a vector: x - 2 of equals is 0.
  static constexpr float spread_of_padding = 1;
  static constexpr bool slope_needs_similarity = true;

  /// 2 kl(p || q) + 1 is a sum of products, of [var_p + mean_p^2, mean_p] by [1 / var_q, -2 mean_q / var_q], and of
  /// what belongs to one of both. It cancels where Gaussians are close: search bounds its rounding.
  static constexpr bool is_inner_product = true;
  static constexpr double product_constant = -1;
  template <typename Real>
  static ProductTerms<Real> as_p(Real mean, Real log_var) {
    return {Math::exp(log_var) + mean * mean, mean, -log_var, absolute(log_var)};
  }
  template <typename Real>
  static ProductTerms<Real> as_q(Real mean, Real log_var) {
    const Real inverse = Math::exp(-log_var), slope = mean * inverse, energy = mean * slope;
    return {inverse, -2.0f * slope, energy + log_var, energy + absolute(log_var)};
  }
  template <typename Real>
  static Real absolute(Real x) {
    return x < Real{} ? -x : x;
  }
  /// Returns the sum over dimensions that a similarity is made of.
  static double sum_of_products(double similarity) { return 2 * (1 / similarity - 1); }

  template <typename Real>
  GAUSSCSE_DEVICE static Real part(Real x) {
    return x;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real exact_part(const Real& kl) {
    return kl;
  }

  template <typename Real>
  GAUSSCSE_DEVICE static Real similarity(Real sum, Real) {
    return Real{1} / (Real{1} + Real{0.5} * sum);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real exact_similarity(const Real& sum, double) {
    return 1.0 / (1.0 + sum);
  }

  /// Returns d sim / d kl, the same for every dimension.
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real similarity, double) {
    return -similarity * similarity;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real factor(Real) {
    return Real{1};
  }
  template <typename Weight, typename Real>
  static Real weighted_factor(Weight weight, const Real&) {
    return Real{} + weight;
  }
};

}  // namespace gausscse::kernels
