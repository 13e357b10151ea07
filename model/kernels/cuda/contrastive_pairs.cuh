#pragma once

#include "model/kernels/cuda/contrastive_pack.cuh"

namespace gausscse::kernels::cuda {

// Pairs of an anchor (q) and a candidate (p). With energy = (var_p + (mean_p - mean_q)^2) / var_q and x = energy
// - log_var_p + log_var_q + 1 = 2 (1 + kl), per_dimension is the mean of 2/x, and joint 1 / (1 + the sum of (x - 2) /
// 2).

/// 1/x to within two units in the last place, and 0 for x near the end of the range: a division that is rounded right
/// would take longer than all the rest of a pair.
__device__ inline float reciprocal(float x) {
#ifdef __CUDACC__
  return __fdividef(1.0f, x);
#else
  return 1.0f / x;
#endif
}
__device__ inline double reciprocal(double x) {
  return 1.0 / x;
}

/// One dimension of a pair: var_p / var_q, (mean_p - mean_q) / var_q, the energy, and x.
template <typename Real>
struct PairOfGaussians {
  Real ratio, slope, energy, x;
};

/// Where no row is wide.
template <typename T>
__device__ PairOfGaussians<T> narrow_pair(const PackedGaussian<T>& p, const PackedGaussian<T>& q) {
  // Means far from the origin: their difference is squared, nothing is multiplied out.
  const T difference = p.mean - q.mean;
  const T slope = difference * q.inverse_variance, ratio = p.variance * q.inverse_variance;
  const T energy = difference * slope + ratio;
  return {ratio, slope, energy, energy + (q.log_var + T{1} - p.log_var)};
}

/// For any rows: in float64, from differences of log-variances, which takes special functions for each pair.
template <typename T>
__device__ PairOfGaussians<double> wide_pair(const PackedGaussian<T>& p, const PackedGaussian<T>& q) {
  const double log_var_q = static_cast<double>(q.log_var), log_ratio = static_cast<double>(p.log_var) - log_var_q;
  const double inverse_deviation = exp(-0.5 * log_var_q), ratio = exp(log_ratio);
  const double standardised = (static_cast<double>(p.mean) - static_cast<double>(q.mean)) * inverse_deviation;
  const double energy = ratio + standardised * standardised;
  return {ratio, standardised * inverse_deviation, energy, energy - log_ratio + 1.0};
}

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

/// Tile number `tile` of rows.
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
template <typename T, SimilarityKind kind>
__device__ void add_dimension(SharedPointer<PackedGaussian<T>> anchors, SharedPointer<PackedGaussian<T>> candidates,
                              bool wide, T (&sums)[pairs_of_thread][pairs_of_thread]) {
  constexpr bool mean_of_dimensions = kind == SimilarityKind::per_dimension;
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
        const double x = wide_pair(p[j], q[i]).x;
        sums[i][j] += static_cast<T>(mean_of_dimensions ? 1.0 / x : x - 2.0);
      }
    }
    return;
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    const T offset = q[i].log_var + (mean_of_dimensions ? T{1} : T{-1});
    GAUSSCSE_UNROLL
    for (int j = 0; j < pairs_of_thread; ++j) {
      // As narrow_pair, in fewer steps: this loop is most of the work.
      const T difference = p[j].mean - q[i].mean;
      const T square = p[j].variance + difference * difference;
      const T summand = square * q[i].inverse_variance + (offset - p[j].log_var);
      sums[i][j] += mean_of_dimensions ? reciprocal(summand) : summand;
    }
  }
}

/// similarities[i][j] of anchor threadIdx.x / tile_threads + i * tile_threads and candidate threadIdx.x % tile_threads
/// + j * tile_threads of the tile. All threads of a block call it; `staged` has room for both sides.
template <typename T, SimilarityKind kind>
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
      add_dimension<T, kind>(staged + d * staged_pitch, staged + staged_side + d * staged_pitch, wide, sums);
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
    for (int j = 0; j < pairs_of_thread; ++j) totals[i][j] += sums[i][j];
    __syncthreads();
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
  for (int j = 0; j < pairs_of_thread; ++j)
    similarities[i][j] = kind == SimilarityKind::per_dimension ? T{2} * totals[i][j] / static_cast<T>(dimension)
                                                               : T{1} / (T{1} + T{0.5} * totals[i][j]);
}

}  // namespace gausscse::kernels::cuda
