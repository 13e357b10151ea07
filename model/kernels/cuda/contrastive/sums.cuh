#pragma once

#include "model/kernels/cuda/contrastive/product.cuh"

namespace gausscse::kernels::cuda {

/// Values of pairs in memory, [dimension_parts, anchors, terms, candidates]. At first they are sums over a part of the
/// dimensions each; then, in the first part, similarities, and at last the weights of the gradient.
template <typename T>
struct PairValues {
  T* values;
  int dimension_parts;
  int dimensions_of_part;
};

/// Division of the dimensions among blocks: `count` parts of up to `size`.
struct DimensionParts {
  std::int64_t size, count;
};

/// Divides the dimensions where tiles of pairs alone are fewer than `most_blocks` blocks.
inline DimensionParts divided_dimensions(std::int64_t anchors, std::int64_t candidates, int terms,
                                         std::int64_t dimension, std::int64_t most_blocks) {
  const std::int64_t blocks = parts_of(anchors, pair_tile) * parts_of(candidates, pair_tile) * terms,
                     most_parts = blocks > 0 && blocks < most_blocks ? most_blocks / blocks : 1,
                     size = staged_dimensions * parts_of(parts_of(dimension, staged_dimensions), most_parts);
  return {size, parts_of(dimension, size)};
}

/// Place of the sums of a tile in memory: anchors lie `pitch` apart.
template <typename T>
struct SumsOfTile {
  T* first;
  std::int64_t pitch;
  int anchors, candidates;

  __device__ void put(int anchor, int candidate, T sum) const {
    if (anchor < anchors && candidate < candidates) first[anchor * pitch + candidate] = sum;
  }
};

/// Computes the sums of a tile in float64, a thread one pair after another: there is no need of speed.
template <typename S, typename T>
__device__ void store_wide_sums(const RowsOfTile<T>& anchors, const RowsOfTile<T>& candidates, int dimension,
                              DimensionRange range, const SumsOfTile<T>& sums) {
  const int size = static_cast<int>(pair_tile);
  for (int pair = static_cast<int>(threadIdx.x); pair < size * size; pair += static_cast<int>(pair_kernel_threads)) {
    const int anchor = pair / size, candidate = pair % size;
    if (anchor >= anchors.count || candidate >= candidates.count) continue;
    T sum = 0;
    for (int d = range.begin; d < range.end; ++d) {
      const PackedGaussian<T> p = candidates.rows[candidate * dimension + d], q = anchors.rows[anchor * dimension + d];
      sum += static_cast<T>(exact_term<S, DeviceMath>(static_cast<double>(p.mean), static_cast<double>(p.log_var),
                                                      static_cast<double>(q.mean), static_cast<double>(q.log_var)));
    }
    sums.put(anchor, candidate, sum);
  }
}

/// Computes the sums of tile x of the pairs, of term y % terms, in part y / terms of the dimensions.
template <typename T, typename Tile>
__global__ void __launch_bounds__(pair_kernel_threads, 2)
    pair_sums_kernel(PackedContrast<T> contrast, PairValues<T> pairs) {
  SharedArrays shared;
  const SharedPointer<typename Tile::Staged> staged = shared.take<typename Tile::Staged>(Tile::staged);
  const std::int32_t form = *contrast.form;
  if (!Tile::serves(form)) return;
  const auto across = static_cast<unsigned>(parts_of(contrast.candidate_count, pair_tile));
  const int anchor_tile = static_cast<int>(blockIdx.x / across), candidate_tile = static_cast<int>(blockIdx.x % across);
  const int part = static_cast<int>(blockIdx.y) / contrast.terms, term = static_cast<int>(blockIdx.y) % contrast.terms;
  const int dimension = static_cast<int>(contrast.dimension), begin = part * pairs.dimensions_of_part,
            left = dimension - begin;
  const DimensionRange range{begin, begin + (left < pairs.dimensions_of_part ? left : pairs.dimensions_of_part)};
  const RowsOfTile<T> anchors = tile_of_anchors(contrast, term, anchor_tile, pair_tile),
                      candidates = tile_of_candidates(contrast, term, candidate_tile, pair_tile);
  const auto place = [&] {
    return SumsOfTile<T>{pairs.values +
                             (part * contrast.anchor_count + anchor_tile * pair_tile) * contrast.pairs_of_anchor() +
                             term * contrast.candidate_count + candidate_tile * pair_tile,
                         contrast.pairs_of_anchor(), anchors.count, candidates.count};
  };
  if (form == by_wide_pairs) {
    store_wide_sums<typename Tile::Formula>(anchors, candidates, dimension, range, place());
    return;
  }
  SumsOfThread<T> sums = {};
  Tile::add_sums(contrast, anchors, candidates, range, staged, sums);
  const SumsOfTile<T> to = place();
  GAUSSCSE_UNROLL
  for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
  for (int j = 0; j < pairs_of_thread; ++j) to.put(Tile::anchor_of(i), Tile::candidate_of(j), sums[i][j]);
}

/// Starts the sums over dimensions of all pairs, in each form that may serve.
template <typename T>
void find_pair_sums(const KernelContext& context, const PackedContrast<T>& contrast, Similarity kind,
                    const PairValues<T>& pairs) {
  const std::int64_t tiles = parts_of(contrast.anchor_count, pair_tile) * parts_of(contrast.candidate_count, pair_tile);
  const auto launch_tiles = [&](auto of) {
    using Tile = decltype(of);
    launch(context,
           {tiles, contrast.terms * pairs.dimension_parts, pair_kernel_threads,
            shared_bytes_of<typename Tile::Staged>(Tile::staged)},
           pair_sums_kernel<T, Tile>, contrast, pairs);
  };
  with_similarity<DeviceMath>(kind, [&](auto of) { launch_tiles(DifferenceTile<T, decltype(of)>{}); });
  if constexpr (std::is_same_v<T, float>) {
    if (contrast.products.centre) launch_tiles(ProductTile<T, Joint<DeviceMath>>{});
  }
}

}  // namespace gausscse::kernels::cuda
