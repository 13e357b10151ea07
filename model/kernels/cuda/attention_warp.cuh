#pragma once

#include "model/kernels/cuda/attention_warp_scores.cuh"

namespace gausscse::kernels::cuda {

/// Blocks for the sentences of each number of tiles, the longest ones first.
struct WarpGrid {
  const std::int32_t* sentences;          ///< null: all sentences
  std::int64_t first[attention_classes];  ///< place of the first sentence of one tile, of two tiles, ...
  unsigned pairs[attention_classes], blocks[attention_classes];
};

/// Calls function(shape, sentences, pairs, block) for this block, the WarpShape of its sentences and its number among
/// their blocks.
template <int width, int tiles = attention_classes, typename Function>
__device__ void with_shape_of_block(const WarpGrid& grid, unsigned block, const Function& function) {
  constexpr int of_class = tiles - 1;
  if (block < grid.blocks[of_class]) {
    function(WarpShape<width, tiles>{}, grid.sentences ? grid.sentences + grid.first[of_class] : nullptr,
             grid.pairs[of_class], block);
  } else if constexpr (tiles > 1) {
    with_shape_of_block<width, tiles - 1>(grid, block - grid.blocks[of_class], function);
  }
}

template <typename Shape, bool relative>
__device__ void attend_by_warps(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile, Bfloat16* context) {
  SharedArrays shared;
  SharedPointer<Bfloat16> queries = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> keys = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> values = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> weights =
      shared.take<Bfloat16>(Shape::rows * Shape::weight_stride) + tile.row * Shape::weight_stride;
  SharedPointer<float> scores = shared.take<float>(Shape::rows * Shape::score_stride) + tile.row * Shape::score_stride;
  SharedPointer<std::uint32_t> votes =
      shared.take<std::uint32_t>(attention_warps * Shape::votes) + tile.row / tile_rows * Shape::votes;
  SharedPointer<float> kept = shared.take<float>(Shape::rows) + tile.row;  // sums of queries' dropped probabilities
  const HeadOfSentence& head = tile.head;
  Eight<float> bias{};
  if (head.length > 0) {
    bias = read_eight(bias_of_part(input, head, value_part) + eight_of_lane<Shape>());
    const int own = tile.row * Shape::row_stride;
    // Tokens that are not attended to have probabilities of zero.
    const WarpRows matrices[] = {warp_rows_of_part(input, tile, query_part, head.queries, queries + own),
                                 warp_rows_of_part(input, tile, key_part, head.length, keys + own),
                                 warp_rows_of_part(input, tile, value_part, head.length, values + own)};
    load_warp_rows<Shape>(matrices);
  }
  __syncthreads();
  if (tile.first >= head.queries) return;
  const int of_head = tile.row_of_head * Shape::row_stride;
  const WarpMask mask = warp_mask(input.attention, tile, votes);
  multiply_warp_rows<Shape>(queries + tile.row * Shape::row_stride, keys + of_head, scores);
  __syncwarp();
  OfKeys<Shape> probabilities;
  read_of_keys<Shape>(scores, probabilities);
  const float inverse = warp_softmax<Shape, relative>(input, tile, probabilities);
  drop<Shape>(mask, votes, inverse * mask.scale, probabilities);
  const float sum = sum_of_keys<Shape>(probabilities);
  if (this_lane() < tile_rows) kept[query_of_lane()] = sum;
  put_of_keys<Shape>(probabilities, weights);
  __syncwarp();
  add_weighted_rows<Shape, by_rows>(weights, tile_rows, Shape::tiles, values + of_head, scores);
  __syncwarp();
  write_warp_rows<Shape>(scores, tile.rows_of(head.queries), context_of(context, input.attention, head, tile.first),
                         static_cast<int>(input.attention.hidden), [&](int row, float(&sums)[8]) {
                           const float factor = kept[row];
                           GAUSSCSE_UNROLL
                           for (int i = 0; i < 8; ++i) sums[i] += factor * value_at(bias, i);
                         });
}

/// The forward of sentences of up to 64 tokens.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, relative ? 3 : 4)
    attention_warp_kernel(AttentionInput<float, Bfloat16> input, WarpGrid grid, Bfloat16* context) {
  with_shape_of_block<width>(
      grid, blockIdx.x, [&](auto shape, const std::int32_t* sentences, unsigned pairs, unsigned block) {
        using Shape = decltype(shape);
        attend_by_warps<Shape, relative>(input, tile_of_warp<Shape>(input, sentences, pairs, block), context);
      });
}

}  // namespace gausscse::kernels::cuda
