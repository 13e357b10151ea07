#pragma once

#include "model/kernels/cuda/partial_sums.cuh"

namespace gausscse::kernels::cuda {

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
