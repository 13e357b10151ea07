#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Returns the sum over a warp, the same bits in each lane. All lanes call it.
template <typename T>
__device__ T warp_sum(T value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(all_lanes, value, mask);
  return value;
}

/// Returns the sum over a block, the same bits in each thread, added up in a fixed order. All threads call it;
/// `of_warps` has room for a value of each warp, and may be used again afterwards.
template <typename T>
__device__ T block_sum(T value, SharedPointer<T> of_warps) {
  const unsigned warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  value = warp_sum(value);
  if (threadIdx.x % warp_size == 0) of_warps[warp] = value;
  __syncthreads();
  T sum = 0;
  for (unsigned w = 0; w < warps; ++w) sum += of_warps[w];
  __syncthreads();
  return sum;
}

}  // namespace gausscse::kernels::cuda
