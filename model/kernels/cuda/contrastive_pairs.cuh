#pragma once

#include "model/kernels/cuda/contrastive_pack.cuh"

namespace gausscse::kernels::cuda {

/// Pairs that a block computes at once: a square of `tile` anchors and candidates, a thread every `tile_threads`-th of
/// both.
constexpr std::int64_t contrastive_tile = 32;
constexpr int tile_threads = 16, pairs_of_thread = 2;
constexpr unsigned pair_kernel_threads = tile_threads * tile_threads;
/// Dimensions that a block stages in shared memory at once; dimensions lie so far apart there that neighbouring ones of
/// a row are in different banks.
constexpr std::int64_t staged_dimensions = 16, staged_pitch = contrastive_tile + 1;
constexpr std::int64_t staged_side = staged_dimensions * staged_pitch;

template <typename T>
constexpr std::size_t pair_kernel_bytes() {
  return shared_bytes_of<PackedGaussian<T>>(2 * staged_side);
}

/// Up to a tile of packed rows.
template <typename T>
struct RowsOfTile {
  const PackedGaussian<T>* rows;
  std::int64_t count;
};

/// Returns tile number `tile` of rows.
template <typename T>
__device__ RowsOfTile<T> tile_of_rows(const PackedGaussian<T>* rows, std::int64_t count, std::int64_t dimension,
                                      std::int64_t tile) {
  const std::int64_t first = tile * contrastive_tile, left = count - first;
  return {rows + first * dimension, left < contrastive_tile ? left : contrastive_tile};
}

template <typename T>
__device__ void stage_rows(const RowsOfTile<T>& from, std::int64_t dimension, std::int64_t first_dimension,
                           SharedPointer<PackedGaussian<T>> staged) {
  for (std::int64_t i = threadIdx.x; i < contrastive_tile * staged_dimensions; i += blockDim.x) {
    const std::int64_t row = i / staged_dimensions, column = i % staged_dimensions, d = first_dimension + column;
    const bool exists = row < from.count && d < dimension;
    staged[column * staged_pitch + row] = exists ? from.rows[row * dimension + d] : standard_gaussian<T>();
  }
}

/// Adds what one staged dimension gives to the sums of the thread's pairs.
template <typename T, typename S>
__device__ void add_dimension(SharedPointer<PackedGaussian<T>> anchors, SharedPointer<PackedGaussian<T>> candidates,
                              bool wide, T (&sums)[pairs_of_thread][pairs_of_thread]) {
  PackedGaussian<T> q[pairs_of_thread], p[pairs_of_thread];
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    q[i] = anchors[threadIdx.x / tile_threads + i * tile_threads];
    p[i] = candidates[threadIdx.x % tile_threads + i * tile_threads];
  }
  if (wide) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs_of_thread; ++i) {
      GAUSSCSE_UNROLL
      for (int j = 0; j < pairs_of_thread; ++j) {
        sums[i][j] += static_cast<T>(S::wide_summand(p[j], q[i]));
      }
    }
    return;
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    const auto anchor = S::anchor(q[i]);
    GAUSSCSE_UNROLL
    for (int j = 0; j < pairs_of_thread; ++j) sums[i][j] += S::summand(S::candidate(p[j]), anchor);
  }
}

/// Computes similarities[i][j] of anchor threadIdx.x / tile_threads + i * tile_threads and candidate threadIdx.x %
/// tile_threads + j * tile_threads of the tile. All threads of a block call it; `staged` has room for both sides.
template <typename T, typename S>
__device__ void tile_similarities(const RowsOfTile<T>& anchors, const RowsOfTile<T>& candidates, std::int64_t dimension,
                                  bool wide, SharedPointer<PackedGaussian<T>> staged,
                                  T (&similarities)[pairs_of_thread][pairs_of_thread]) {
  T totals[pairs_of_thread][pairs_of_thread] = {};
  for (std::int64_t first = 0; first < dimension; first += staged_dimensions) {
    stage_rows(anchors, dimension, first, staged);
    stage_rows(candidates, dimension, first, staged + staged_side);
    __syncthreads();
    const std::int64_t left = dimension - first, count = left < staged_dimensions ? left : staged_dimensions;
    // Sums of sums: fewer roundings than in one row.
    T sums[pairs_of_thread][pairs_of_thread] = {};
    for (std::int64_t d = 0; d < count; ++d)
      add_dimension<T, S>(staged + d * staged_pitch, staged + staged_side + d * staged_pitch, wide, sums);
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
    for (int j = 0; j < pairs_of_thread; ++j) totals[i][j] += sums[i][j];
    __syncthreads();
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
  for (int j = 0; j < pairs_of_thread; ++j) similarities[i][j] = S::similarity(totals[i][j], static_cast<T>(dimension));
}

}  // namespace gausscse::kernels::cuda
