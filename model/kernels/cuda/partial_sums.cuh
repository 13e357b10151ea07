#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Returns where rows are added up: the rows of a part, whose sum is a block's, before a second kernel adds up the
/// parts' sums in a fixed order. A multiple of `least`, by the number of rows alone, so that bits depend neither on the
/// GPU nor on how its blocks are scheduled; no more than `most_parts` parts come of it, which take memory and time to
/// add up.
constexpr std::int64_t rows_of_summed_part(std::int64_t rows, std::int64_t least = 64, std::int64_t most_parts = 256) {
  return least * parts_of(rows, least * most_parts);
}

/// Arrays that the sums of parts are added to; one that is null is left out.
template <typename T>
struct SummedArrays {
  T* arrays[3];
};

/// Columns that a block adds up, and its threads for each of them, which take every summing_lanes-th part.
constexpr std::int64_t summed_columns = 32, summing_lanes = 16;

template <typename T>
__global__ void add_partial_sums_kernel(const T* partials, std::int64_t parts, std::int64_t count, std::int64_t width,
                                        SummedArrays<T> sums) {
  SharedArrays shared;
  const SharedPointer<T> of_lanes = shared.take<T>(summing_lanes * summed_columns);
  T* const sum = one_of(sums.arrays, blockIdx.y);
  if (!sum) return;
  const std::int64_t lane = threadIdx.x / static_cast<unsigned>(summed_columns),
                     place = threadIdx.x % static_cast<unsigned>(summed_columns),
                     column = blockIdx.x * summed_columns + place;
  T total = 0;
  if (column < width)
    for (std::int64_t part = lane; part < parts; part += summing_lanes)
      total += partials[(part * count + blockIdx.y) * width + column];
  of_lanes[threadIdx.x] = total;
  __syncthreads();
  if (lane > 0 || column >= width) return;
  for (std::int64_t other = 1; other < summing_lanes; ++other) total += of_lanes[other * summed_columns + place];
  sum[column] += total;
}

/// Computes sums.arrays[i][c] += partials[0][i][c] + partials[1][i][c] + ..., of partials [parts, count, width].
template <typename T>
void add_partial_sums(const KernelContext& context, const T* partials, std::int64_t parts, std::int64_t count,
                      std::int64_t width, const SummedArrays<T>& sums) {
  launch(context,
         {parts_of(width, summed_columns), count, summing_lanes * summed_columns,
          shared_bytes_of<T>(summing_lanes * summed_columns)},
         add_partial_sums_kernel<T>, partials, parts, count, width, sums);
}

}  // namespace gausscse::kernels::cuda
