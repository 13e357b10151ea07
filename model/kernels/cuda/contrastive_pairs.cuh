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

/// Up to a tile of packed rows.
template <typename T>
struct RowsOfTile {
  const PackedGaussian<T>* rows;
  std::int64_t count;
  std::int64_t number;  ///< number of the first row
};

/// Returns tile number `tile` of rows, of `size` rows each; `number` is that of the first row.
template <typename T>
__device__ RowsOfTile<T> tile_of_rows(const PackedGaussian<T>* rows, std::int64_t number, std::int64_t count,
                                      std::int64_t dimension, std::int64_t tile, std::int64_t size) {
  const std::int64_t first = tile * size, left = count - first;
  return {rows + first * dimension, left < size ? left : size, number + first};
}

/// Returns tiles of a term's anchors and of its candidates.
template <typename T>
__device__ RowsOfTile<T> tile_of_anchors(const PackedContrast<T>& contrast, std::int64_t term, std::int64_t tile,
                                         std::int64_t size) {
  const int role = one_of(contrast.anchor_role, term);
  return tile_of_rows(one_of(contrast.anchors, role), one_of(contrast.anchor_number, role), contrast.anchor_count,
                      contrast.dimension, tile, size);
}
template <typename T>
__device__ RowsOfTile<T> tile_of_candidates(const PackedContrast<T>& contrast, std::int64_t term, std::int64_t tile,
                                            std::int64_t size) {
  const int role = one_of(contrast.candidate_role, term);
  return tile_of_rows(one_of(contrast.candidates, role), one_of(contrast.candidate_number, role),
                      contrast.candidate_count, contrast.dimension, tile, size);
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

/// Similarities of a tile of pairs, pair by pair. Kernels take it, or ProductTile, as their `Tile`. Pair [i][j] of a
/// thread is that of anchor anchor_of(i) and candidate candidate_of(j) of the tile.
template <typename T, typename S>
struct DifferenceTile {
  using Formula = S;
  using Staged = PackedGaussian<T>;
  static constexpr std::int64_t rows = contrastive_tile, staged = 2 * staged_side;
  static constexpr int pairs = pairs_of_thread;

  __device__ static bool serves(std::int32_t form) { return form != by_products; }
  __device__ static int anchor_of(int i) { return static_cast<int>(threadIdx.x) / tile_threads + i * tile_threads; }
  __device__ static int candidate_of(int j) { return static_cast<int>(threadIdx.x) % tile_threads + j * tile_threads; }

  /// Computes similarities[i][j]. All threads of a block call it; `memory` has room for both sides.
  __device__ static void similarities(const PackedContrast<T>& contrast, const RowsOfTile<T>& anchors,
                                      const RowsOfTile<T>& candidates, std::int32_t form, SharedPointer<Staged> memory,
                                      T (&similarities)[pairs][pairs]) {
    const std::int64_t dimension = contrast.dimension;
    T totals[pairs][pairs] = {};
    StagedRows<T> of_anchors(anchors, dimension, memory), of_candidates(candidates, dimension, memory + staged_side);
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
      T sums[pairs][pairs] = {};
      if (form == by_wide_pairs) {
        for (int d = 0; d < count; ++d) add_dimension<S, true, T>(memory, d, sums);
      } else {
        GAUSSCSE_UNROLL_BY(4)
        for (int d = 0; d < count; ++d) add_dimension<S, false, T>(memory, d, sums);
      }
      GAUSSCSE_UNROLL
      for (int i = 0; i < pairs; ++i) GAUSSCSE_UNROLL
      for (int j = 0; j < pairs; ++j) totals[i][j] += sums[i][j];
      __syncthreads();
    }
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs; ++i) GAUSSCSE_UNROLL
    for (int j = 0; j < pairs; ++j) similarities[i][j] = S::similarity(totals[i][j], static_cast<T>(dimension));
  }
};

}  // namespace gausscse::kernels::cuda
