#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Rows that one block adds up; a second kernel adds up the blocks' sums in their order. Fixed, so that bits depend
/// neither on the GPU nor on how its blocks are scheduled.
constexpr std::int64_t rows_of_part = 64;

template <typename T>
__global__ void add_partial_sums_kernel(const T* partials, std::int64_t parts, std::int64_t stride, std::int64_t width,
                                        T* sum) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= width) return;
  T total = 0;
  for (std::int64_t part = 0; part < parts; ++part) total += partials[part * stride + column];
  sum[column] += total;
}

/// sum[c] += partials[0][c] + partials[1][c] + ..., for c below `width`; rows of partials are `stride` apart.
template <typename T>
void add_partial_sums(const KernelContext& context, const T* partials, std::int64_t parts, std::int64_t stride,
                      std::int64_t width, T* sum) {
  launch(context, {parts_of(width, 128), 1, 128, 0}, add_partial_sums_kernel<T>, partials, parts, stride, width, sum);
}

}  // namespace gausscse::kernels::cuda
