#pragma once

#include <cmath>

#include "model/kernels/cuda/language.cuh"
#include "model/kernels/cuda/reductions.cuh"

namespace gausscse::kernels::cuda {

constexpr unsigned similarity_warps = 4;

/// A warp for each pair. In float64 and from differences of log-variances: evaluation is a small part of a run, and any
/// variance will do.
template <typename T>
__global__ void similarity_kernel(const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                                  SimilarityKind kind, float* similarity) {
  const std::int64_t pair = std::int64_t{blockIdx.x} * similarity_warps + threadIdx.x / warp_size;
  const bool of_dimensions = kind == SimilarityKind::per_dimension;
  double sum = 0;
  for (std::int64_t d = threadIdx.x % warp_size; pair < pairs && d < dimension; d += warp_size) {
    const T *const p_row = p + pair * 2 * dimension, *const q_row = q + pair * 2 * dimension;
    const double log_var = static_cast<double>(q_row[dimension + d]);
    const double log_ratio = static_cast<double>(p_row[dimension + d]) - log_var;
    const double difference = static_cast<double>(p_row[d]) - static_cast<double>(q_row[d]);
    const double divergence = 0.5 * (exp(log_ratio) + difference * difference * exp(-log_var) - 1.0 - log_ratio);
    sum += of_dimensions ? 1.0 / (1.0 + divergence) : divergence;
  }
  sum = warp_sum(sum);
  if (pair < pairs && threadIdx.x % warp_size == 0)
    similarity[pair] = static_cast<float>(of_dimensions ? sum / static_cast<double>(dimension) : 1.0 / (1.0 + sum));
}

template <typename T>
void similarity(const KernelContext& context, const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                SimilarityKind kind, float* similarity) {
  launch(context, {parts_of(pairs, similarity_warps), 1, similarity_warps * warp_size, 0}, similarity_kernel<T>, p, q,
         pairs, dimension, kind, similarity);
}

}  // namespace gausscse::kernels::cuda
