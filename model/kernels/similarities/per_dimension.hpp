#pragma once

#include "model/kernels/similarities/kullback_leibler.hpp"

namespace gausscse::kernels {

/// The mean over dimensions of 1 / (1 + kl), which the released program computes. With x = 2 kl + 2, a summand is 1 /
/// x.
template <typename Math>
struct PerDimension : KullbackLeibler<Math, PerDimension<Math>> {
  static constexpr float offset = 1;
  /// Variance of a dimension that is only there to fill a vector: 1 / x is 0.
  static constexpr float spread_of_padding = __builtin_inff();
  static constexpr bool slope_needs_similarity = false;
  static constexpr bool is_inner_product = false;

  template <typename Real>
  GAUSSCSE_DEVICE static Real part(Real x) {
    return Math::reciprocal(x);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real exact_part(const Real& kl) {
    return 1.0 / (1.0 + kl);
  }

  template <typename Real>
  GAUSSCSE_DEVICE static Real similarity(Real sum, Real dimension) {
    return Real{2} * sum / dimension;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real exact_similarity(const Real& sum, double dimension) {
    return sum / dimension;
  }

  /// Returns the factor of d sim / d kl = -4 / (dimension x^2) that all dimensions have in common; `factor` is the
  /// rest.
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real, double dimension) {
    return static_cast<Real>(-4.0 / dimension);
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real factor(Real x) {
    const Real inverse = Math::reciprocal(x);
    return inverse * inverse;
  }
  template <typename Weight, typename Real>
  static Real weighted_factor(Weight weight, const Real& x) {
    const Real inverse = Math::reciprocal(x);
    return weight * inverse * inverse;
  }
};

}  // namespace gausscse::kernels
