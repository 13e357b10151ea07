#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Returns the number of rows in a part of a sum over rows. A block adds up each part, then a second kernel adds up the
/// parts' sums in a fixed order. The number is a multiple of `least` and depends on the number of rows alone, so that
/// bits depend neither on the GPU nor on its scheduling of blocks. There are no more than `most_parts` parts, which
/// take memory and time to add up.
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

// A matrix in tiles of columns, each cut into parts of rows. A block works on one part of one tile, neighbouring
// threads on neighbouring columns; blocks of the same rows follow each other.
//
// Threads read some elements before they use the first, so that the memory has enough to do. Where there are fewer they
// read one of them again, without a branch that would part the reads.

/// Columns of a tile, which divide the usual widths.
constexpr std::int64_t tile_columns = 128;
/// Lanes of a block that adds up rows: each takes every tile_lanes-th row.
constexpr std::int64_t tile_lanes = 4;

/// Returns the blocks for `parts` parts of rows of this width.
constexpr std::int64_t blocks_of_tiles(std::int64_t parts, std::int64_t width) {
  return parts * parts_of(width, tile_columns);
}

/// A thread's place: the part of its block, and its own column, which lies behind the matrix in some threads of the
/// last tile.
struct TilePlace {
  std::int64_t part, column;
};

__device__ inline TilePlace tile_place(std::int64_t width) {
  // 32 bits, which grids are limited to: a division of 64 takes as long as the work on an element.
  const auto tiles = static_cast<unsigned>(parts_of(width, tile_columns));
  const unsigned part = blockIdx.x / tiles;
  return {part, (blockIdx.x - part * tiles) * tile_columns + threadIdx.x % static_cast<unsigned>(tile_columns)};
}

/// Returns the sum over a block's lanes of `value`, in the threads of lane 0. All threads call it, once; `sums` has
/// room for a value of each.
template <typename T>
__device__ T sum_of_lanes(T value, SharedPointer<T> sums) {
  const unsigned thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
  if (thread < tile_columns) {
    for (std::int64_t lane = 1; lane < tile_lanes; ++lane) value += sums[lane * tile_columns + thread];
  }
  return value;
}

}  // namespace gausscse::kernels::cuda
