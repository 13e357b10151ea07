#pragma once

#include "model/kernels/cuda/factor.cuh"
#include "model/kernels/cuda/language.cuh"
#include "model/kernels/dropout_mask.hpp"

namespace gausscse::kernels::cuda {

/// Arguments of `add_layer_norm`, see Kernels.
template <typename T, typename Factor>
struct AddLayerNorm {
  const Factor* x;
  const T *bias, *residual, *gamma, *beta;
  T epsilon;
  DropoutSite dropout, output_dropout;
  RowIdentity identity;
  std::int64_t rows, hidden;
  T* out;
  Factor* factor;
  T *sum, *normalized, *inverse_deviation;
};

/// Arguments of `add_layer_norm_backward`, see Kernels. `partials` [parts, 3, hidden] gets the sums over rows_of_block
/// rows for gamma, beta and bias.
template <typename T, typename Factor>
struct AddLayerNormBackward {
  T* grad_out;
  const Factor* grad_addend;
  bool of_sum;
  const T *normalized, *inverse_deviation, *gamma;
  DropoutSite dropout, output_dropout;
  RowIdentity identity;
  std::int64_t rows, hidden, rows_of_block;
  T* grad_residual;
  Factor* grad_x;
  T* partials;
};

/// Returns value * mask, and 0 where the mask is 0, regardless of the value.
template <typename T>
__device__ T masked(T value, T mask) {
  return mask != 0 ? value * mask : T{0};
}

}  // namespace gausscse::kernels::cuda
