#pragma once

#include "model/similarities/formula.hpp"

// Terms in float64, or of tensors, for any means and log-variances: kernels of the loss in float32 need some that lie
// close to each other.
namespace gausscse::kernels {

/// One dimension of two Gaussians, packed for a similarity.
template <typename Real>
struct GaussianPair {
  Gaussian<Real> p, q;
  Real mean_scale;  ///< factor of both means
};

/// Packs a pair. For a similarity that is free of scale, q has the mean 0 and the variance 1 then, so that no product
/// of variances leaves the range where their ratio does not.
template <typename S, typename Math, typename Real>
GAUSSCSE_DEVICE GaussianPair<Real> packed_pair(const Real& mean_p, const Real& log_var_p, const Real& mean_q,
                                               const Real& log_var_q) {
  if constexpr (S::is_scale_free) {
    const Real scale = Math::exp(-0.5 * log_var_q), log_ratio = log_var_p - log_var_q;
    const Real zero = 0.0 * scale, one = zero + 1.0;
    const Real spread = S::spread(log_ratio);
    return {{(mean_p - mean_q) * scale, spread, 1.0 / spread, log_ratio}, {zero, one, one, zero}, scale};
  } else {
    const Real spread_p = S::spread(log_var_p), spread_q = S::spread(log_var_q);
    return {{mean_p, spread_p, 1.0 / spread_p, log_var_p},
            {mean_q, spread_q, 1.0 / spread_q, log_var_q},
            1.0 + 0.0 * log_var_q};
  }
}

/// Returns the term of a dimension, from means and log-variances.
template <typename S, typename Math>
GAUSSCSE_DEVICE double exact_term(double mean_p, double log_var_p, double mean_q, double log_var_q) {
  const auto pair = packed_pair<S, Math>(mean_p, log_var_p, mean_q, log_var_q);
  return S::term(S::divergence(pair.p, pair.q));
}

/// Returns the term of the similarity without a direction: of the mean of the divergences in both directions.
template <typename S, typename Math, typename Real>
Real symmetric_term(const Real& mean_p, const Real& log_var_p, const Real& mean_q, const Real& log_var_q) {
  const auto pair = packed_pair<S, Math>(mean_p, log_var_p, mean_q, log_var_q);
  return S::term(0.5 * (S::divergence(pair.p, pair.q) + S::divergence(pair.q, pair.p)));
}

/// Returns the gradient of a pair by means and log-variances; `weight` as `pair_sums` has it.
template <typename S, typename Math>
GAUSSCSE_DEVICE Derivatives<double> exact_gradient(double mean_p, double log_var_p, double mean_q, double log_var_q,
                                                   double weight) {
  const auto pair = packed_pair<S, Math>(mean_p, log_var_p, mean_q, log_var_q);
  const auto sums = S::pair_sums(pair.p, pair.q, weight);
  constexpr double none[S::sums] = {};
  const auto p = S::row_gradient(pair.p, sums.of_p, none), q = S::row_gradient(pair.q, none, sums.of_q);
  return {p.mean * pair.mean_scale, p.log_var, q.mean * pair.mean_scale, q.log_var};
}

}  // namespace gausscse::kernels
