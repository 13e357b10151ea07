#pragma once

#include "model/kernels/cuda/contrastive_product.cuh"

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
/// partial softmaxes. A part has `size` consecutive candidates, whole tiles of `tile` rows.
struct CandidateParts {
  CandidateParts(std::int64_t candidates, std::int64_t tile)
      : size(tile * parts_of(parts_of(candidates, tile), 16)), count(size > 0 ? parts_of(candidates, size) : 0) {}

  std::int64_t size, count;
};

/// Computes partials[(term * parts + part) * anchor_count + anchor] = softmax over a part of a term's candidates;
/// positive[anchor] = similarity of the anchor's own candidate, where that is one of these. Block (x, y) does tile x of
/// the anchors and part y of those of all terms.
template <typename T, typename Tile>
__global__ void __launch_bounds__(pair_kernel_threads, 2)
    partial_softmax_kernel(PackedContrast<T> contrast, CandidateParts parts, PartOfSoftmax* partials,
                           double* positive) {
  SharedArrays shared;
  const SharedPointer<typename Tile::Staged> staged = shared.take<typename Tile::Staged>(Tile::staged);
  const std::int32_t form = *contrast.form;
  if (!Tile::serves(form)) return;
  const std::int64_t term = blockIdx.y / parts.count, part = blockIdx.y % parts.count;
  const RowsOfTile<T> anchors = tile_of_anchors(contrast, term, blockIdx.x, Tile::rows);
  const std::int64_t first_anchor = std::int64_t{blockIdx.x} * Tile::rows;

  // Not in registers, which the tile takes.
  const SharedPointer<PartOfSoftmax> softmax =
      shared.take<PartOfSoftmax>(pair_kernel_threads * Tile::pairs) + static_cast<int>(threadIdx.x) * Tile::pairs;
  GAUSSCSE_UNROLL
  for (int i = 0; i < Tile::pairs; ++i) softmax[i] = empty_softmax();
  // In 32 bits, as registers are few.
  const int begin = static_cast<int>(part * parts.size), size = static_cast<int>(parts.size);
  const int left = static_cast<int>(contrast.candidate_count) - begin, end = begin + (left < size ? left : size);
  for (int first = begin; first < end; first += static_cast<int>(Tile::rows)) {
    const RowsOfTile<T> candidates = tile_of_candidates(contrast, term, first / Tile::rows, Tile::rows);
    T similarities[Tile::pairs][Tile::pairs];
    Tile::similarities(contrast, anchors, candidates, form, staged, similarities);
    GAUSSCSE_UNROLL
    for (int i = 0; i < Tile::pairs; ++i) {
      const std::int64_t anchor = first_anchor + Tile::anchor_of(i);
      if (anchor >= contrast.anchor_count) continue;
      PartOfSoftmax some = empty_softmax();
      GAUSSCSE_UNROLL
      for (int j = 0; j < Tile::pairs; ++j) {
        const int candidate = first + Tile::candidate_of(j);
        if (candidate >= end) continue;
        const double similarity = static_cast<double>(similarities[i][j]);
        if (similarity > some.largest || similarity != similarity) some.largest = similarity;
        if (term == 0 && candidate == contrast.first_own + anchor) positive[anchor] = similarity;
      }
      GAUSSCSE_UNROLL
      for (int j = 0; j < Tile::pairs; ++j) {
        if (first + Tile::candidate_of(j) >= end) continue;
        some.sum += exp((static_cast<double>(similarities[i][j]) - some.largest) / contrast.temperature);
      }
      softmax[i] = joined(softmax[i], some, contrast.temperature);
    }
  }

  // An anchor's candidates are with neighbouring threads, half a warp.
  for (int i = 0; i < Tile::pairs; ++i) {
    PartOfSoftmax all = softmax[i];
    for (int mask = tile_threads / 2; mask > 0; mask /= 2) {
      const double largest = __shfl_xor_sync(all_lanes, all.largest, mask);
      const double sum = __shfl_xor_sync(all_lanes, all.sum, mask);
      all = joined(all, {largest, sum}, contrast.temperature);
    }
    const std::int64_t anchor = first_anchor + Tile::anchor_of(i);
    if (threadIdx.x % tile_threads == 0 && anchor < contrast.anchor_count)
      partials[blockIdx.y * contrast.anchor_count + anchor] = all;
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
  const CandidateParts parts(contrast.candidate_count, contrast.products.centre ? widest_tile : contrastive_tile);
  const std::int64_t all_parts = contrast.terms * parts.count, anchors = contrast.anchor_count;
  with_tiles<T>(contrast, kind, [&](auto of) {
    using Tile = decltype(of);
    launch(context,
           {parts_of(anchors, Tile::rows), all_parts, pair_kernel_threads,
            shared_bytes_of<typename Tile::Staged>(Tile::staged) +
                shared_bytes_of<PartOfSoftmax>(pair_kernel_threads * Tile::pairs)},
           partial_softmax_kernel<T, Tile>, contrast, parts, partials, softmax.positive);
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
