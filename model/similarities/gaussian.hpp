#pragma once

// Kernels of CPUs, kernels of GPUs and evaluation instantiate the same headers.
#ifdef __CUDACC__
#define GAUSSCSE_DEVICE __device__
#else
#define GAUSSCSE_DEVICE
#endif

namespace gausscse::kernels {

/// One dimension of a Gaussian as a similarity reads it, computed once for a row and not for each pair. `Real` is a
/// number, a vector of numbers of as many rows or dimensions, or a tensor.
template <typename Real>
struct Gaussian {
  Real mean;
  Real spread;   ///< variance or standard deviation, as the similarity's `spread` says
  Real inverse;  ///< 1 / spread
  Real log_var;
};

/// Derivatives of a pair's divergence, of one dimension, by the mean and by the log-variance of both Gaussians.
template <typename Real>
struct Derivatives {
  Real mean_p, log_var_p;
  Real mean_q, log_var_q;
};

/// Values of a pair, of one dimension, whose sums over pairs the gradients of rows p and q are made of.
template <typename Real, int count>
struct PairSums {
  Real of_p[count], of_q[count];
};

/// The gradient of one dimension of a row.
template <typename Real>
struct RowGradient {
  Real mean, log_var;
};

/// One dimension of a Gaussian in a similarity whose divergence, summed over dimensions, is an inner product: that of p
/// and q is the sum over k of p.factors[k] q.factors[k], plus p.rest + q.rest + a constant. `magnitude` is the sum of
/// the absolute terms of `rest`, to which its rounding is relative.
template <typename Real, int count>
struct ProductTerms {
  Real factors[count];
  Real rest, magnitude;
};

template <typename Real>
Real absolute(Real x) {
  return x < Real{} ? -x : x;
}

}  // namespace gausscse::kernels
