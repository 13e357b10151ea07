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

/// A thread's part in staging a tile: it copies the same dimension of every staged step, of two rows that are half a
/// tile apart. Rows behind the last one are copies of it, whose sums are not used.
template <typename T>
class StagedRows {
 public:
  static constexpr int rows_of_thread = static_cast<int>(contrastive_tile * staged_dimensions / pair_kernel_threads);

  __device__ StagedRows(const RowsOfTile<T>& tile, std::int64_t dimension, SharedPointer<PackedGaussian<T>> staged)
      : staged_(staged), column_(static_cast<int>(threadIdx.x % staged_dimensions)) {
    row_ = static_cast<int>(threadIdx.x / staged_dimensions);
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_thread; ++i) {
      const std::int64_t row = row_ + i * step;
      from_[i] = tile.rows + (row < tile.count ? row : tile.count - 1) * dimension;
    }
  }
  /// Reads dimension `first` and the following ones; the last one again instead of those behind it.
  __device__ void read(std::int64_t first, std::int64_t dimension) {
    const std::int64_t d = first + column_ < dimension ? first + column_ : dimension - 1;
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_thread; ++i) values_[i] = from_[i][d];
  }
  /// Puts into shared memory what was read.
  __device__ void put() const {
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_thread; ++i)
      staged_[column_ * static_cast<int>(staged_pitch) + row_ + i * step] = values_[i];
  }

 private:
  static constexpr int step = static_cast<int>(contrastive_tile) / rows_of_thread;

  SharedPointer<PackedGaussian<T>> staged_;
  const PackedGaussian<T>* from_[rows_of_thread];
  PackedGaussian<T> values_[rows_of_thread];
  int column_, row_;
};

/// Adds what staged dimension `d` gives to the sums of the thread's pairs, for rows that are `wide` or not.
template <typename S, bool wide, typename T>
__device__ void add_dimension(SharedPointer<PackedGaussian<T>> staged, int d,
                              T (&sums)[pairs_of_thread][pairs_of_thread]) {
  constexpr int pitch = static_cast<int>(staged_pitch), side = static_cast<int>(staged_side);
  const int thread = static_cast<int>(threadIdx.x);
  PackedGaussian<T> q[pairs_of_thread], p[pairs_of_thread];
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    q[i] = staged[d * pitch + thread / tile_threads + i * tile_threads];
    p[i] = staged[side + d * pitch + thread % tile_threads + i * tile_threads];
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    const auto anchor = S::anchor(q[i]);
    GAUSSCSE_UNROLL
    for (int j = 0; j < pairs_of_thread; ++j) {
      if constexpr (wide)
        sums[i][j] += static_cast<T>(S::wide_summand(p[j], q[i]));
      else
        sums[i][j] += S::summand(S::candidate(p[j]), anchor);
    }
  }
}

/// Computes similarities[i][j] of anchor threadIdx.x / tile_threads + i * tile_threads and candidate threadIdx.x %
/// tile_threads + j * tile_threads of the tile. All threads of a block call it; `staged` has room for both sides.
template <typename T, typename S>
__device__ void tile_similarities(const RowsOfTile<T>& anchors, const RowsOfTile<T>& candidates, std::int64_t dimension,
                                  bool wide, SharedPointer<PackedGaussian<T>> staged,
                                  T (&similarities)[pairs_of_thread][pairs_of_thread]) {
  T totals[pairs_of_thread][pairs_of_thread] = {};
  StagedRows<T> of_anchors(anchors, dimension, staged), of_candidates(candidates, dimension, staged + staged_side);
  of_anchors.read(0, dimension);
  of_candidates.read(0, dimension);
  for (std::int64_t first = 0; first < dimension; first += staged_dimensions) {
    of_anchors.put();
    of_candidates.put();
    __syncthreads();
    // The next dimensions arrive while these are used.
    of_anchors.read(first + staged_dimensions, dimension);
    of_candidates.read(first + staged_dimensions, dimension);
    const std::int64_t left = dimension - first;
    const int count = static_cast<int>(left < staged_dimensions ? left : staged_dimensions);
    // Sums of sums: fewer roundings than in one row.
    T sums[pairs_of_thread][pairs_of_thread] = {};
    if (wide) {
      for (int d = 0; d < count; ++d) add_dimension<S, true, T>(staged, d, sums);
    } else {
      GAUSSCSE_UNROLL_BY(4)
      for (int d = 0; d < count; ++d) add_dimension<S, false, T>(staged, d, sums);
    }
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
