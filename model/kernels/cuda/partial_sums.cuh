#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Where rows are added up: the rows of a part, whose sum is a block's, before a second kernel adds up the parts' sums
/// in their order. By the number of rows alone, so that bits depend neither on the GPU nor on how its blocks are
/// scheduled; no more than 256 parts come of it, since they are added one after another.
constexpr std::int64_t rows_of_summed_part(std::int64_t rows) {
  constexpr std::int64_t least = 64, most_parts = 256;
  return least * parts_of(rows, least * most_parts);
}

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
