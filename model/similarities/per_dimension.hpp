#pragma once

#include "model/similarities/kullback_leibler.hpp"

namespace gausscse::kernels {

/// The mean over dimensions of 1 / (1 + kl), which the released program computes, by the divergence x = 2 kl + 2: terms
/// are 1 / x.
template <typename Math>
struct PerDimension : KullbackLeibler<Math, PerDimension<Math>> {
  static constexpr float offset = 1;
  static constexpr const char* in_python =
      "        kl = (np.exp(v[a] - v[b]) + (m[a] - m[b]) ** 2 / np.exp(v[b]) - 1 + v[b] - v[a]) / 2\n"
      "        return np.mean(1 / (1 + kl), axis=-1)\n";

  template <typename Real>
  GAUSSCSE_DEVICE static Real term(const Real& divergence) {
    return Math::reciprocal(divergence);
  }
  template <typename Weight, typename Real>
  GAUSSCSE_DEVICE static Real term_backward(Weight weight, const Real& divergence) {
    const Real inverse = Math::reciprocal(divergence);
    return -weight * inverse * inverse;
  }
  template <typename Real, typename Count>
  GAUSSCSE_DEVICE static Real similarity(const Real& sum, const Count& dimension) {
    return 2.0f * sum / dimension;
  }
  template <typename Real>
  GAUSSCSE_DEVICE static Real slope(Real, double dimension) {
    return static_cast<Real>(2.0 / dimension);
  }

  /// A term 1 / x has the relative error of the reciprocal, and that of x, which is less than
  ///
  ///   12 roundings * x + 13 roundings * (|log_var_p| + |log_var_q| + 1),
  ///
  /// as the energy is at most x + |log_var_p| + |log_var_q|. x is at least 2. So the similarity 2/d * the sum of 1/x,
  /// at most 1, has an error of less than
  ///
  ///   reciprocal's error + roundings * (13 + terms of the sum + 7 (mean |log_var_p| + mean |log_var_q| + 1)).
  static double float_error(double of_reciprocal, double dimension) {
    return of_reciprocal * 1.001 + rounding * (dimension + 64);
  }
  static double float_error_of_row(double mean_log_var) { return 12 * rounding * (mean_log_var + 1); }

 private:
  static constexpr double rounding = 0x1p-24;  ///< relative error of an operation in float32
};

}  // namespace gausscse::kernels
