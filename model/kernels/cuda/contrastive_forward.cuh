#pragma once

#include "model/kernels/cuda/contrastive_pairs.cuh"

namespace gausscse::kernels::cuda {

/// The largest of some similarities (-infinity if there is none), and the sum of exp((similarity - largest) /
/// temperature).
struct PartOfSoftmax {
  double largest, sum;
};

__device__ inline PartOfSoftmax empty_softmax() {
  return {-static_cast<double>(INFINITY), 0.0};
}

/// Returns both together; NaN if one is. In float64: a pair has but one or two exponentials, and hundreds of
/// dimensions.
__device__ inline PartOfSoftmax joined(const PartOfSoftmax& a, const PartOfSoftmax& b, double temperature) {
  const double largest = b.largest > a.largest || b.largest != b.largest ? b.largest : a.largest;
  // The difference of infinities is no number.
  const double of_a = a.largest == largest ? 1.0 : exp((a.largest - largest) / temperature);
  const double of_b = b.largest == largest ? 1.0 : exp((b.largest - largest) / temperature);
  return {largest, a.sum * of_a + b.sum * of_b};
}

/// Division of the candidates of a term among blocks: few anchors still fill a GPU, and many do not make for many
/// partial softmaxes. `tiles` of a part are consecutive.
struct CandidateParts {
  explicit CandidateParts(std::int64_t candidates)
      : tiles(parts_of(parts_of(candidates, contrastive_tile), 16)),
        count(tiles > 0 ? parts_of(parts_of(candidates, contrastive_tile), tiles) : 0) {}

  std::int64_t tiles, count;
};

/// Computes partials[(term * parts + part) * anchor_count + anchor] = softmax over a part of a term's candidates;
/// positive[anchor] = similarity of the anchor's own candidate, where that is one of these. Block (x, y) does tile x of
/// the anchors and part y of those of all terms.
template <typename T, typename S>
__global__ void __launch_bounds__(pair_kernel_threads, 2)
    partial_softmax_kernel(PackedContrast<T> contrast, CandidateParts parts, PartOfSoftmax* partials,
                           double* positive) {
  SharedArrays shared;
  const SharedPointer<PackedGaussian<T>> staged = shared.take<PackedGaussian<T>>(2 * staged_side);
  const std::int64_t term = blockIdx.y / parts.count, part = blockIdx.y % parts.count;
  const RowsOfTile<T> anchors = tile_of_rows(one_of(contrast.anchors, one_of(contrast.anchor_role, term)),
                                             contrast.anchor_count, contrast.dimension, blockIdx.x);
  const std::int64_t first_anchor = std::int64_t{blockIdx.x} * contrastive_tile + threadIdx.x / tile_threads;
  const bool wide = *contrast.any_wide != 0;

  PartOfSoftmax softmax[pairs_of_thread];
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) softmax[i] = empty_softmax();
  const std::int64_t first_tile = part * parts.tiles;
  for (std::int64_t tile = first_tile;
       tile < first_tile + parts.tiles && tile * contrastive_tile < contrast.candidate_count; ++tile) {
    const RowsOfTile<T> candidates = tile_of_rows(one_of(contrast.candidates, one_of(contrast.candidate_role, term)),
                                                  contrast.candidate_count, contrast.dimension, tile);
    T similarities[pairs_of_thread][pairs_of_thread];
    tile_similarities<T, S>(anchors, candidates, contrast.dimension, wide, staged, similarities);
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs_of_thread; ++i) {
      const std::int64_t anchor = first_anchor + i * tile_threads;
      GAUSSCSE_UNROLL
      for (int j = 0; j < pairs_of_thread; ++j) {
        const std::int64_t candidate = tile * contrastive_tile + threadIdx.x % tile_threads + j * tile_threads;
        if (anchor >= contrast.anchor_count || candidate >= contrast.candidate_count) continue;
        const double similarity = static_cast<double>(similarities[i][j]);
        softmax[i] = joined(softmax[i], {similarity, 1.0}, contrast.temperature);
        if (term == 0 && candidate == contrast.first_own + anchor) positive[anchor] = similarity;
      }
    }
  }

  // An anchor's candidates are with neighbouring threads, half a warp.
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) {
    for (int mask = tile_threads / 2; mask > 0; mask /= 2) {
      const double largest = __shfl_xor_sync(all_lanes, softmax[i].largest, mask);
      const double sum = __shfl_xor_sync(all_lanes, softmax[i].sum, mask);
      softmax[i] = joined(softmax[i], {largest, sum}, contrast.temperature);
    }
    const std::int64_t anchor = first_anchor + i * tile_threads;
    if (threadIdx.x % tile_threads == 0 && anchor < contrast.anchor_count)
      partials[blockIdx.y * contrast.anchor_count + anchor] = softmax[i];
  }
}

constexpr unsigned join_softmax_threads = 128;

/// Joins the parts of each anchor in their order, behind what `softmax` has if it `goes_on`.
template <typename T>
__global__ void join_softmax_kernel(const PartOfSoftmax* partials, std::int64_t parts, std::int64_t anchors,
                                    double temperature, bool goes_on, RunningSoftmax softmax) {
  const std::int64_t anchor = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (anchor >= anchors) return;
  PartOfSoftmax all = goes_on ? PartOfSoftmax{softmax.largest[anchor], softmax.sum[anchor]} : empty_softmax();
  for (std::int64_t part = 0; part < parts; ++part) all = joined(all, partials[part * anchors + anchor], temperature);
  softmax.largest[anchor] = all.largest;
  softmax.sum[anchor] = all.sum;
}

/// Adds the candidates to the softmax of each anchor. `partials` has room for anchor_count of each part and term.
template <typename T>
void add_to_softmax(const KernelContext& context, const PackedContrast<T>& contrast, Similarity kind, bool goes_on,
                    PartOfSoftmax* partials, const RunningSoftmax& softmax) {
  const CandidateParts parts(contrast.candidate_count);
  const std::int64_t all_parts = contrast.terms * parts.count, anchors = contrast.anchor_count;
  with_similarity<DeviceMath>(kind, [&](auto of) {
    launch(context, {parts_of(anchors, contrastive_tile), all_parts, pair_kernel_threads, pair_kernel_bytes<T>()},
           partial_softmax_kernel<T, decltype(of)>, contrast, parts, partials, softmax.positive);
  });
  launch(context, {parts_of(anchors, join_softmax_threads), 1, join_softmax_threads, 0}, join_softmax_kernel<T>,
         partials, all_parts, anchors, contrast.temperature, goes_on, softmax);
}

constexpr unsigned loss_threads = 256;

/// Computes *loss = `weight` times the sum of the anchors' -log(...). One block.
template <typename T>
__global__ void loss_of_softmax_kernel(RunningSoftmax softmax, std::int64_t anchors, double temperature, double weight,
                                       double* loss) {
  SharedArrays shared;
  const SharedPointer<double> of_warps = shared.take<double>(loss_threads / warp_size);
  double sum = 0;
  for (std::int64_t anchor = threadIdx.x; anchor < anchors; anchor += blockDim.x)
    sum += log(softmax.sum[anchor]) + (softmax.largest[anchor] - softmax.positive[anchor]) / temperature;
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) *loss = weight * sum;
}

}  // namespace gausscse::kernels::cuda
