#pragma once

// Kernels of CPUs, kernels of GPUs and evaluation instantiate the same headers.
#ifdef __CUDACC__
#define GAUSSCSE_DEVICE __device__
#else
#define GAUSSCSE_DEVICE
#endif

namespace gausscse::kernels {

/// One dimension of a Gaussian as a similarity reads it, computed once for a row and not for each pair. `Real` is a
/// number, or a vector of numbers of as many rows or dimensions.
template <typename Real>
struct Gaussian {
  Real mean;
  Real spread;   ///< variance or standard deviation, as the similarity's `spread` says
  Real inverse;  ///< 1 / spread
  Real log_var;
};

/// One dimension of a Gaussian in a similarity whose sum over dimensions is an inner product: the summand of p and q is
///   p.first q.first + p.second q.second + p.rest + q.rest + constant.
/// `magnitude` is the sum of the absolute terms of `rest`, to which its rounding is relative.
template <typename Real>
struct ProductTerms {
  Real first, second, rest, magnitude;
};

/// Derivatives of a pair's divergence, of one dimension, by the mean and by half the log-variance of both Gaussians;
/// all are to be multiplied by `factor`.
template <typename Real>
struct PairGradient {
  Real factor;
  Real mean_p, half_log_var_p;
  Real mean_q, half_log_var_q;
};

/// The gradient of one dimension of a row.
template <typename Real>
struct RowGradient {
  Real mean, log_var;
};

}  // namespace gausscse::kernels
