#pragma once

#include "model/kernels/cuda/contrastive/pack.cuh"

namespace gausscse::kernels::cuda {

constexpr unsigned similarity_warps = 4;

/// Computes similarities, a warp for each pair. In float64 and from log-variances: evaluation is a small part of a run,
/// and any variance will do.
template <typename T, typename S>
__global__ void similarity_kernel(const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                                  float* similarity) {
  const std::int64_t pair = std::int64_t{blockIdx.x} * similarity_warps + threadIdx.x / warp_size;
  double sum = 0;
  for (std::int64_t d = threadIdx.x % warp_size; pair < pairs && d < dimension; d += warp_size) {
    const T *const p_row = p + pair * 2 * dimension, *const q_row = q + pair * 2 * dimension;
    sum += exact_term<S, DeviceMath>(static_cast<double>(p_row[d]), static_cast<double>(p_row[dimension + d]),
                                     static_cast<double>(q_row[d]), static_cast<double>(q_row[dimension + d]));
  }
  sum = warp_sum(sum);
  if (pair < pairs && threadIdx.x % warp_size == 0)
    similarity[pair] = static_cast<float>(S::similarity(sum, static_cast<double>(dimension)));
}

template <typename T>
void similarity(const KernelContext& context, const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                Similarity kind, float* similarity) {
  with_similarity<DeviceMath>(kind, [&](auto of) {
    launch(context, {parts_of(pairs, similarity_warps), 1, similarity_warps * warp_size, 0},
           similarity_kernel<T, decltype(of)>, p, q, pairs, dimension, similarity);
  });
}

}  // namespace gausscse::kernels::cuda
