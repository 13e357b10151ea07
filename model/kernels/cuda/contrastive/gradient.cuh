#pragma once

#include "model/kernels/cuda/contrastive/gradient_tile.cuh"
#include "model/kernels/cuda/contrastive/product_gradient.cuh"
#include "model/kernels/cuda/contrastive/softmax.cuh"

namespace gausscse::kernels::cuda {

/// Sums of a thread's anchors that their gradients are made of; of wide pairs, those are the gradients.
template <bool wide, typename S, typename T>
struct SumsOfAnchors {
  static constexpr int count = wide ? 2 : S::sums;
  T of[anchors_of_thread][count] = {};

  __device__ RowGradient<T> gradient(int k, const PackedGaussian<T>& anchor) const {
    if constexpr (wide) {
      return {of[k][0], of[k][1]};
    } else {
      constexpr T none[count] = {};
      return S::row_gradient(anchor, none, of[k]);
    }
  }
};

/// Adds the pairs of a staged candidate with a thread's anchors to the sums of both.
template <bool wide, typename S, typename T>
__device__ void add_candidate(const GradientMemory<T>& memory, int candidate,
                              const PackedGaussian<T> (&anchors)[anchors_of_thread], SumsOfAnchors<wide, S, T>& sums) {
  const int lane = StagedCandidates<T>::lane(), warp = StagedCandidates<T>::warp();
  const PackedGaussian<T> p = memory.rows[candidate * gradient_dimensions + lane];
  T of_candidate[SumsOfAnchors<wide, S, T>::count] = {};
  GAUSSCSE_UNROLL
  for (int four = 0; four < anchors_of_thread / 4; ++four) {
    const Vec4<T> weights = memory.weights[candidate * weights_pitch + warp * (anchors_of_thread / 4) + four];
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int k = 4 * four + i;
      if constexpr (wide) {
        const Derivatives<double> by = exact_gradient<S, DeviceMath>(
            static_cast<double>(p.mean), static_cast<double>(p.log_var), static_cast<double>(anchors[k].mean),
            static_cast<double>(anchors[k].log_var), static_cast<double>(weights.at[i]));
        of_candidate[0] += static_cast<T>(by.mean_p);
        of_candidate[1] += static_cast<T>(by.log_var_p);
        sums.of[k][0] += static_cast<T>(by.mean_q);
        sums.of[k][1] += static_cast<T>(by.log_var_q);
      } else {
        const auto pair = S::pair_sums(p, anchors[k], weights.at[i]);
        GAUSSCSE_UNROLL
        for (int s = 0; s < S::sums; ++s) {
          of_candidate[s] += pair.of_p[s];
          sums.of[k][s] += pair.of_q[s];
        }
      }
    }
  }
  RowGradient<T> gradient{of_candidate[0], of_candidate[1]};
  if constexpr (!wide) {
    constexpr T none[S::sums] = {};
    gradient = S::row_gradient(p, of_candidate, none);
  }
  const int place = (candidate * gradient_warps + warp) * 2 * gradient_dimensions + lane;
  memory.sums[place] = gradient.mean;
  memory.sums[place + gradient_dimensions] = gradient.log_var;
}

/// Computes the gradient of part x of the candidates in block (x, y), and the sums of all anchors over it; y is the
/// candidates' role and the part of the dimensions. Weights as `softmax_kernel` leaves them. The drawing of a block is
/// in gradient_tile.cuh. Its loops are
///
///     64 anchors at a time, 8 of each warp, in registers
///       16 candidates of the part at a time
///         1. stage       these candidates and their weights go to shared memory; reads of the next ones begin
///         2. pairs       a candidate with the warp's anchors: sums of anchors in registers, its own in shared memory
///         3. anchors     the sums over these candidates are added to the anchors' totals
///         4. candidates  the sums of the 8 warps are added, and then to the gradient of the candidates
///       5. write         the totals of the anchors become their sums of this part
///
/// A candidate's gradient is written at the first anchors, unless `gradient.adds`, and added to at the next ones.
template <typename T, typename S, bool wide>
__global__ void __launch_bounds__(gradient_threads, wide ? 1 : 2)
    contrastive_gradient_kernel(PackedContrast<T> contrast, const T* weights, AnchorSums<T> anchor_sums,
                                GradientOfRoles<T> gradient) {
  SharedArrays shared;
  const GradientMemory<T> memory(shared);
  if (*contrast.form != (wide ? by_wide_pairs : by_differences)) return;
  const int dimension = static_cast<int>(contrast.dimension),
            parts = static_cast<int>(parts_of(dimension, gradient_dimensions));
  const int role = static_cast<int>(blockIdx.y) / parts, lane = StagedCandidates<T>::lane(),
            warp = StagedCandidates<T>::warp(), d = static_cast<int>(blockIdx.y) % parts * gradient_dimensions + lane;
  const int size = static_cast<int>(anchor_sums.parts.size), begin = static_cast<int>(blockIdx.x) * size,
            left = static_cast<int>(contrast.candidate_count) - begin, end = begin + (left < size ? left : size);
  T* const rows = one_of(gradient.rows, role) + d;
  int term = 0;
  while (term < contrast.terms && one_of(contrast.candidate_role, term) != role) ++term;
  if (term == contrast.terms || contrast.anchor_count == 0) {
    for (int row = begin + warp; row < end && d < dimension && !gradient.adds; row += gradient_warps)
      rows[std::int64_t{row} * 2 * dimension] = rows[(std::int64_t{row} * 2 + 1) * dimension] = T{0};
    return;
  }

  StagedCandidates<T> staged(contrast, term, d, end, weights + term * contrast.candidate_count, memory);
  bool adds = gradient.adds;
  int first_anchor = 0;
  do {
    const int own = first_anchor + warp * anchors_of_thread, own_left = static_cast<int>(contrast.anchor_count) - own;
    PackedGaussian<T> anchors[anchors_of_thread];
    const PackedGaussian<T>* const from =
        one_of(contrast.anchors, one_of(contrast.anchor_role, term)) + std::int64_t{own} * dimension + d;
    GAUSSCSE_UNROLL
    for (int k = 0; k < anchors_of_thread; ++k)
      anchors[k] = k < own_left && d < dimension ? from[k * dimension] : standard_gaussian<T>();
    RowGradient<T> totals[anchors_of_thread] = {};
    staged.read(begin, first_anchor);
    int first = begin;
    do {
      // 1. stage. The next candidates arrive while these are used.
      staged.put();
      __syncthreads();
      staged.read(first + gradient_candidates, first_anchor);
      // 2. pairs
      SumsOfAnchors<wide, S, T> sums;
      GAUSSCSE_UNROLL_BY(1)
      for (int i = 0; i < gradient_candidates; ++i) add_candidate<wide, S>(memory, i, anchors, sums);
      // 3. anchors. Sums of sums: fewer roundings than in one row.
      GAUSSCSE_UNROLL
      for (int k = 0; k < anchors_of_thread; ++k) {
        const RowGradient<T> some = sums.gradient(k, anchors[k]);
        totals[k].mean += some.mean;
        totals[k].log_var += some.log_var;
      }
      // 4. candidates, when all warps have their sums
      __syncthreads();
      GAUSSCSE_UNROLL
      for (int k = 0; k < 2; ++k) {
        const int row = first + StagedCandidates<T>::row(k);
        if (row >= end || d >= dimension) continue;
        const int place = StagedCandidates<T>::row(k) * gradient_warps * 2 * gradient_dimensions + lane;
        T mean = 0, log_var = 0;
        GAUSSCSE_UNROLL
        for (int w = 0; w < gradient_warps; ++w) {
          mean += memory.sums[place + w * 2 * gradient_dimensions];
          log_var += memory.sums[place + (w * 2 + 1) * gradient_dimensions];
        }
        T* const to = rows + std::int64_t{row} * 2 * dimension;
        to[0] = mean + (adds ? to[0] : T{0});
        to[dimension] = log_var + (adds ? to[dimension] : T{0});
      }
      first += gradient_candidates;
    } while (first < end);
    // 5. write
    GAUSSCSE_UNROLL
    for (int k = 0; k < anchors_of_thread; ++k) {
      if (k >= own_left || d >= dimension) continue;
      T* const to = anchor_sums.of(contrast, blockIdx.x, term, own + k) + d;
      to[0] = totals[k].mean;
      to[dimension] = totals[k].log_var;
    }
    adds = true;
    first_anchor += gradient_anchors;
  } while (first_anchor < static_cast<int>(contrast.anchor_count));
}

constexpr unsigned anchor_gradient_threads = 256;

/// Computes the gradient of anchor x as role y / parts, of part y % parts of its columns, from sums over candidates.
template <typename T>
__global__ void anchor_gradient_kernel(PackedContrast<T> contrast, AnchorSums<T> sums, GradientOfRoles<T> gradient) {
  if (*contrast.form == by_products) return;
  const int width = 2 * static_cast<int>(contrast.dimension),
            parts = static_cast<int>(parts_of(width, anchor_gradient_threads)),
            role = static_cast<int>(blockIdx.y) / parts,
            column = static_cast<int>(blockIdx.y) % parts * static_cast<int>(anchor_gradient_threads) +
                     static_cast<int>(threadIdx.x);
  if (column >= width) return;
  const std::int64_t anchor = blockIdx.x;
  T sum = 0;
  for (int term = 0; term < contrast.terms; ++term) {
    if (one_of(contrast.anchor_role, term) != role) continue;
    GAUSSCSE_UNROLL_BY(4)
    for (int part = 0; part < sums.parts.count; ++part) sum += sums.of(contrast, part, term, anchor)[column];
  }
  T* const to = one_of(gradient.rows, role) + anchor * width + column;
  *to = sum + (gradient.adds ? *to : T{0});
}

/// Gradients of both sides' rows. Those of the candidates are found first; the anchors' may be some of them, and are
/// added to then.
template <typename T>
struct GradientsToFind {
  GradientOfRoles<T> candidates, anchors;
};

/// Starts the gradients of both sides, in each form that may serve.
template <typename T>
void find_gradients(const KernelContext& context, const PackedContrast<T>& contrast, Similarity kind, int roles,
                    const T* weights, const AnchorSums<T>& sums, const GradientsToFind<T>& gradient) {
  with_similarity<DeviceMath>(kind, [&](auto of) {
    const auto launch_pairs = [&](auto kernel) {
      launch(context,
             {sums.parts.count, roles * parts_of(contrast.dimension, gradient_dimensions), gradient_threads,
              GradientMemory<T>::bytes()},
             kernel, contrast, weights, sums, gradient.candidates);
    };
    launch_pairs(contrastive_gradient_kernel<T, decltype(of), false>);
    launch_pairs(contrastive_gradient_kernel<T, decltype(of), true>);
  });
  launch(context,
         {contrast.anchor_count, roles * parts_of(2 * contrast.dimension, anchor_gradient_threads),
          anchor_gradient_threads, 0},
         anchor_gradient_kernel<T>, contrast, sums, gradient.anchors);
  if constexpr (std::is_same_v<T, float>) {
    if (!contrast.products.centre) return;
    const auto launch_products = [&](std::int64_t rows, auto kernel, const GradientOfRoles<T>& of_side) {
      launch(context,
             {parts_of(rows, pair_tile), roles * parts_of(contrast.dimension, product_columns), pair_kernel_threads,
              product_gradient_bytes<T>()},
             kernel, contrast, weights, of_side);
    };
    launch_products(contrast.candidate_count, product_gradient_kernel<T, SideOfPair::candidate>, gradient.candidates);
    launch_products(contrast.anchor_count, product_gradient_kernel<T, SideOfPair::anchor>, gradient.anchors);
  }
}

}  // namespace gausscse::kernels::cuda
