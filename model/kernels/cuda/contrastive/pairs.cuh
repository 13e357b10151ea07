#pragma once

#include "model/kernels/cuda/contrastive/pack.cuh"

namespace gausscse::kernels::cuda {

/// Pairs that a block computes at once: a square of `pair_tile` anchors and candidates, of which a thread has
/// `pairs_of_thread` of both.
constexpr std::int64_t pair_tile = 64;
constexpr int tile_threads = 16, pairs_of_thread = static_cast<int>(pair_tile) / tile_threads;
constexpr unsigned pair_kernel_threads = tile_threads * tile_threads;
/// Dimensions that a block stages in shared memory at once; dimensions lie so far apart there that neighbouring ones of
/// a row are in different banks.
constexpr int staged_dimensions = 8, staged_pitch = static_cast<int>(pair_tile) + 1;
constexpr int staged_side = staged_dimensions * staged_pitch;

/// Sums over dimensions of a thread's pairs, by anchor and candidate.
template <typename T>
using SumsOfThread = T[pairs_of_thread][pairs_of_thread];

/// Dimensions from `begin` to `end`.
struct DimensionRange {
  int begin, end;
};

/// Up to a tile of packed rows.
template <typename T>
struct RowsOfTile {
  const PackedGaussian<T>* rows;
  int count;
  std::int64_t number;  ///< number of the first row
};

/// Returns tile number `tile` of rows, of `size` rows each; `number` is that of the first row.
template <typename T>
__device__ RowsOfTile<T> tile_of_rows(const PackedGaussian<T>* rows, std::int64_t number, std::int64_t count,
                                      std::int64_t dimension, std::int64_t tile, std::int64_t size) {
  const std::int64_t first = tile * size, left = count - first;
  return {rows + first * dimension, static_cast<int>(left < size ? left : size), number + first};
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

/// A thread's part in staging a tile: it copies the same dimension of every staged step, of some rows. Rows behind the
/// last one are copies of it, whose sums are not used.
template <typename T>
class StagedRows {
 public:
  __device__ StagedRows(const RowsOfTile<T>& tile, std::int64_t dimension, SharedPointer<PackedGaussian<T>> staged)
      : staged_(staged), rows_(tile.rows + column()), last_(tile.count - 1), dimension_(static_cast<int>(dimension)) {}

  /// Reads dimension `first` and the following ones; nothing instead of those from `end` on.
  __device__ void read(int first, int end) {
    if (first + column() >= end) return;
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_thread; ++i) values_[i] = rows_[(row(i) < last_ ? row(i) : last_) * dimension_ + first];
  }
  /// Puts the values that were read into shared memory.
  __device__ void put() const {
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_thread; ++i) staged_[column() * staged_pitch + row(i)] = values_[i];
  }

 private:
  static constexpr int rows_of_thread = static_cast<int>(pair_tile) * staged_dimensions / pair_kernel_threads;

  __device__ static int column() { return static_cast<int>(threadIdx.x) % staged_dimensions; }
  __device__ static int row(int i) {
    return static_cast<int>(threadIdx.x) / staged_dimensions + i * static_cast<int>(pair_tile) / rows_of_thread;
  }

  SharedPointer<PackedGaussian<T>> staged_;
  const PackedGaussian<T>* rows_;
  PackedGaussian<T> values_[rows_of_thread] = {};
  int last_, dimension_;
};

/// Adds the contribution of staged dimension `d` to the sums of the thread's pairs.
template <typename S, typename T>
__device__ void add_dimension(SharedPointer<PackedGaussian<T>> staged, int d, SumsOfThread<T>& sums) {
  const int thread = static_cast<int>(threadIdx.x);
  PackedGaussian<T> q[pairs_of_thread], p[pairs_of_thread];
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    q[i] = staged[d * staged_pitch + thread / tile_threads + i * tile_threads];
    p[i] = staged[staged_side + d * staged_pitch + thread % tile_threads + i * tile_threads];
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
  for (int j = 0; j < pairs_of_thread; ++j) sums[i][j] += S::term(S::divergence(p[j], q[i]));
}

/// Sums over dimensions of a tile of pairs, pair by pair. Kernels take it, or ProductTile, as their `Tile`. Pair [i][j]
/// of a thread is that of anchor anchor_of(i) and candidate candidate_of(j) of the tile.
template <typename T, typename S>
struct DifferenceTile {
  using Formula = S;
  using Staged = PackedGaussian<T>;
  static constexpr std::int64_t staged = 2 * staged_side;

  __device__ static bool serves(std::int32_t form) { return form != by_products; }
  __device__ static int anchor_of(int i) { return static_cast<int>(threadIdx.x) / tile_threads + i * tile_threads; }
  __device__ static int candidate_of(int j) { return static_cast<int>(threadIdx.x) % tile_threads + j * tile_threads; }

  /// Adds to totals[i][j], which are 0, in a range that is not empty. All threads of a block call it; `memory` has room
  /// for both sides.
  __device__ static void add_sums(const PackedContrast<T>& contrast, const RowsOfTile<T>& anchors,
                                  const RowsOfTile<T>& candidates, DimensionRange range, SharedPointer<Staged> memory,
                                  SumsOfThread<T>& totals) {
    StagedRows<T> of_anchors(anchors, contrast.dimension, memory),
        of_candidates(candidates, contrast.dimension, memory + staged_side);
    of_anchors.read(range.begin, range.end);
    of_candidates.read(range.begin, range.end);
    int first = range.begin;
    do {
      of_anchors.put();
      of_candidates.put();
      __syncthreads();
      const int left = range.end - first, count = left < staged_dimensions ? left : staged_dimensions;
      // The next dimensions arrive while these are used.
      first += staged_dimensions;
      of_anchors.read(first, range.end);
      of_candidates.read(first, range.end);
      // Sums of sums: fewer roundings than in one row.
      SumsOfThread<T> sums = {};
      GAUSSCSE_UNROLL_BY(1)
      for (int d = 0; d < count; ++d) add_dimension<S, T>(memory, d, sums);
      GAUSSCSE_UNROLL
      for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
      for (int j = 0; j < pairs_of_thread; ++j) totals[i][j] += sums[i][j];
      __syncthreads();
    } while (first < range.end);
  }
};

}  // namespace gausscse::kernels::cuda
