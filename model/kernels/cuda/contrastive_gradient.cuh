#pragma once

#include "model/kernels/cuda/contrastive_product_gradient.cuh"
#include "model/kernels/cuda/contrastive_softmax.cuh"

namespace gausscse::kernels::cuda {

/// Rows and dimensions of the gradient's block, a thread every lane's dimension of rows_of_thread rows. It goes through
/// the other side's rows tile by tile.
constexpr std::int64_t gradient_tile = 32, gradient_dimensions = warp_size;
constexpr int rows_of_thread = 4;
constexpr int gradient_warps = static_cast<int>(gradient_tile) / rows_of_thread;
constexpr unsigned gradient_threads = gradient_warps * warp_size;
/// Weights of one row of the other side lie so far from the next one's that they are in different banks.
constexpr std::int64_t weights_pitch = gradient_warps + 1;

/// Weights of a thread's rows with one row of the other side.
template <typename T>
struct alignas(16) WeightsOfRows {
  T of[rows_of_thread];
};

template <typename T>
constexpr std::size_t gradient_kernel_bytes() {
  return shared_bytes_of<PackedGaussian<T>>(gradient_tile * gradient_dimensions) +
         shared_bytes_of<WeightsOfRows<T>>(gradient_tile * weights_pitch);
}

/// Adds a pair's dimension to the gradient of its side, by the mean and by twice the log-variance.
template <SideOfPair side, typename Real>
__device__ void add_pair(const PairGradient<Real>& pair, Real weight, Real& by_mean, Real& by_log_var) {
  const Real w = weight * pair.factor;
  by_mean += w * (side == SideOfPair::anchor ? pair.mean_q : pair.mean_p);
  by_log_var += w * (side == SideOfPair::anchor ? pair.half_log_var_q : pair.half_log_var_p);
}

/// Adds the pairs of staged row `i` of the other side with a thread's own rows.
template <bool wide, SideOfPair side, typename S, typename T>
__device__ void add_staged_pairs(SharedPointer<PackedGaussian<T>> staged, SharedPointer<WeightsOfRows<T>> weights,
                                 int i, const PackedGaussian<T> (&own)[rows_of_thread], T (&by_mean)[rows_of_thread],
                                 T (&by_log_var)[rows_of_thread]) {
  const int lane = static_cast<int>(threadIdx.x % warp_size), warp = static_cast<int>(threadIdx.x / warp_size);
  const PackedGaussian<T> there = staged[i * static_cast<int>(gradient_dimensions) + lane];
  const WeightsOfRows<T> w = weights[i * static_cast<int>(weights_pitch) + warp];
  GAUSSCSE_UNROLL
  for (int k = 0; k < rows_of_thread; ++k) {
    const PackedGaussian<T>&p = side == SideOfPair::anchor ? there : own[k],
          &q = side == SideOfPair::anchor ? own[k] : there;
    if constexpr (wide) {
      double mean = 0, log_var = 0;
      add_pair<side>(S::wide_pair_gradient(p, q), static_cast<double>(w.of[k]), mean, log_var);
      by_mean[k] += static_cast<T>(mean);
      by_log_var[k] += static_cast<T>(log_var);
    } else {
      if constexpr (side == SideOfPair::anchor)
        S::add_to_anchor(p, q, w.of[k], by_mean[k], by_log_var[k]);
      else
        S::add_to_candidate(p, q, w.of[k], by_mean[k], by_log_var[k]);
    }
  }
}

/// Computes tile x of the rows of one side in block (x, y); y is the role and the part of the dimensions. Weights as
/// `softmax_kernel` leaves them.
template <typename T, typename S, SideOfPair side>
__global__ void __launch_bounds__(gradient_threads)
    contrastive_gradient_kernel(PackedContrast<T> contrast, const T* weights, GradientOfRoles<T> gradient) {
  SharedArrays shared;
  const SharedPointer<PackedGaussian<T>> staged = shared.take<PackedGaussian<T>>(gradient_tile * gradient_dimensions);
  const SharedPointer<WeightsOfRows<T>> staged_weights = shared.take<WeightsOfRows<T>>(gradient_tile * weights_pitch);
  constexpr bool of_anchors = side == SideOfPair::anchor;
  const std::int64_t dimension = contrast.dimension, parts = parts_of(dimension, gradient_dimensions);
  const int role = static_cast<int>(blockIdx.y / parts);
  const int lane = static_cast<int>(threadIdx.x % warp_size), warp = static_cast<int>(threadIdx.x / warp_size);
  const std::int64_t d = static_cast<std::int64_t>(blockIdx.y % parts) * gradient_dimensions + lane;
  const std::int64_t own_count = of_anchors ? contrast.anchor_count : contrast.candidate_count;
  const std::int64_t other_count = of_anchors ? contrast.candidate_count : contrast.anchor_count;
  const std::int64_t first_own = std::int64_t{blockIdx.x} * gradient_tile;
  const std::int64_t first_of_thread = first_own + warp * rows_of_thread;
  const std::int64_t step_of_warps = gradient_warps * dimension;
  const std::int32_t form = *contrast.form;
  if (form == by_products) return;
  const bool wide = form == by_wide_pairs;

  PackedGaussian<T> own[rows_of_thread];
  T by_mean[rows_of_thread] = {}, by_log_var[rows_of_thread] = {};
  GAUSSCSE_UNROLL
  for (int k = 0; k < rows_of_thread; ++k) {
    const bool exists = first_of_thread + k < own_count && d < dimension;
    const PackedGaussian<T>* const rows = one_of(of_anchors ? contrast.anchors : contrast.candidates, role);
    own[k] = exists ? rows[(first_of_thread + k) * dimension + d] : standard_gaussian<T>();
  }

  for (int term = 0; term < contrast.terms; ++term) {
    if (one_of(of_anchors ? contrast.anchor_role : contrast.candidate_role, term) != role) continue;
    const PackedGaussian<T>* const others = of_anchors
                                                ? one_of(contrast.candidates, one_of(contrast.candidate_role, term))
                                                : one_of(contrast.anchors, one_of(contrast.anchor_role, term));
    // Neighbouring threads take weights that lie next to each other: of other candidates for anchors, of own
    // candidates else.
    const int thread = static_cast<int>(threadIdx.x);
    const int group = of_anchors ? warp : thread % gradient_warps, other = of_anchors ? lane : thread / gradient_warps;
    const std::int64_t row = first_own + group * rows_of_thread;
    const int pitch = static_cast<int>(contrast.pairs_of_anchor());
    const T* of_first = weights + term * contrast.candidate_count +
                        (of_anchors ? row * pitch + other : std::int64_t{other} * pitch + row);
    const PackedGaussian<T>* from = others + warp * dimension + d;
    for (int left = static_cast<int>(other_count); left > 0; left -= static_cast<int>(gradient_tile)) {
      const int count = left < static_cast<int>(gradient_tile) ? left : static_cast<int>(gradient_tile);
      GAUSSCSE_UNROLL
      for (int k = 0; k < static_cast<int>(gradient_tile) / gradient_warps; ++k)
        staged[(warp + k * gradient_warps) * static_cast<int>(gradient_dimensions) + lane] =
            warp + k * gradient_warps < count && d < dimension ? from[k * step_of_warps] : standard_gaussian<T>();
      WeightsOfRows<T> of_group;
      GAUSSCSE_UNROLL
      for (int k = 0; k < rows_of_thread; ++k)
        of_group.of[k] = row + k < own_count && other < count ? of_first[of_anchors ? k * pitch : k] : T{0};
      staged_weights[other * static_cast<int>(weights_pitch) + group] = of_group;
      from += gradient_tile * dimension;
      of_first += static_cast<int>(gradient_tile) * (of_anchors ? 1 : pitch);
      __syncthreads();

      // Sums of sums: fewer roundings than in one row.
      T tile_mean[rows_of_thread] = {}, tile_log_var[rows_of_thread] = {};
      if (wide) {
        for (int i = 0; i < count; ++i)
          add_staged_pairs<true, side, S>(staged, staged_weights, i, own, tile_mean, tile_log_var);
      } else {
        GAUSSCSE_UNROLL_BY(2)
        for (int i = 0; i < count; ++i)
          add_staged_pairs<false, side, S>(staged, staged_weights, i, own, tile_mean, tile_log_var);
      }
      GAUSSCSE_UNROLL
      for (int k = 0; k < rows_of_thread; ++k) {
        by_mean[k] += tile_mean[k];
        by_log_var[k] += tile_log_var[k];
      }
      __syncthreads();
    }
  }

  GAUSSCSE_UNROLL
  for (int k = 0; k < rows_of_thread; ++k) {
    if (first_of_thread + k >= own_count || d >= dimension) continue;
    T* const row = one_of(gradient.rows, role) + (first_of_thread + k) * 2 * dimension;
    const T mean = of_anchors && !wide ? S::mean_of_anchor(own[k], by_mean[k]) : by_mean[k];
    row[d] = mean + (gradient.adds ? row[d] : T{0});
    row[dimension + d] = T{0.5} * by_log_var[k] + (gradient.adds ? row[dimension + d] : T{0});
  }
}

/// Starts the gradient of one side's roles.
template <typename T, SideOfPair side>
void add_gradient_of_side(const KernelContext& context, const PackedContrast<T>& contrast, Similarity kind,
                          const T* weights, int roles, const GradientOfRoles<T>& gradient) {
  const std::int64_t rows = side == SideOfPair::anchor ? contrast.anchor_count : contrast.candidate_count;
  with_similarity<DeviceMath>(kind, [&](auto of) {
    launch(context,
           {parts_of(rows, gradient_tile), roles * parts_of(contrast.dimension, gradient_dimensions), gradient_threads,
            gradient_kernel_bytes<T>()},
           contrastive_gradient_kernel<T, decltype(of), side>, contrast, weights, gradient);
  });
  if constexpr (std::is_same_v<T, float>) {
    if (contrast.products.centre)
      launch(context,
             {parts_of(rows, pair_tile), roles * parts_of(contrast.dimension, product_columns), pair_kernel_threads,
              product_gradient_bytes<T>()},
             product_gradient_kernel<T, side>, contrast, weights, gradient);
  }
}

}  // namespace gausscse::kernels::cuda
