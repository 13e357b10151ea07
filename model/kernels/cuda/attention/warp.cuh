#pragma once

#include "model/kernels/cuda/attention/warp_relative.cuh"

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

/// Computes the context of a warp's queries. `statistics` may be null, and is for long sentences.
template <typename Shape, bool relative, bool is_long>
__device__ void attend_by_warps(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile, Bfloat16* context,
                                float* statistics) {
  const Attention& attention = input.attention;
  SharedArrays shared;
  SharedPointer<Bfloat16> queries = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> keys = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> values = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> weights =
      shared.take<Bfloat16>(Shape::rows * Shape::weight_stride) + tile.row * Shape::weight_stride;
  const WarpScores<Shape> scores(shared, tile.row / tile_rows);
  const HeadOfSentence& head = tile.head;
  const bool has_queries = tile.first < head.queries, is_dropping = attention.dropout.threshold != 0;
  const int own = tile.row * Shape::row_stride, of_head = tile.row_of_head * Shape::row_stride;
  const float scale = scale_of_powers(input);
  Vec8<float> bias{};
  if (head.length > 0) bias = read_eight(bias_of_part(input, head, value_part) + eight_of_lane<Shape>());
  [[maybe_unused]] KeptOfLong masks(attention, tile);
  WarpSoftmax softmax;
  WarpSums<Shape> sums;
  float kept_sum = 0;  // of this lane's weights that are not dropped
  const WarpRows of_queries = warp_rows_of_part(input, tile, query_part, head.queries, queries + own);
  if constexpr (is_long) load_warp_rows<Shape>({of_queries});
  int first_key = 0;
  do {
    if (first_key > 0) __syncthreads();
    const WarpTile key_tile = is_long ? tile.from(first_key) : tile;
    // Tokens that are not attended to have weights of zero.
    const WarpRows of_keys = warp_rows_of_part(input, key_tile, key_part, head.length, keys + own),
                   of_values = warp_rows_of_part(input, key_tile, value_part, head.length, values + own);
    if constexpr (is_long)
      load_warp_rows<Shape>({of_keys, of_values});
    else if (head.length > 0)
      load_warp_rows<Shape>({of_queries, of_keys, of_values});
    __syncthreads();
    if (has_queries) {
      unsigned kept = 0;
      if constexpr (is_long)
        kept = masks.next();
      else
        kept = kept_of_short<Shape>(attention, tile, scores.votes);
      WarpKeyValues<Shape> of_lane;
      multiply_for_keys<Shape>(queries + own, keys + of_head, scores, of_lane);
      if constexpr (relative) add_warp_relative_bias<Shape>(input, tile, first_key, scores, of_lane);
      leave_out_far_keys<Shape>(attention, tile, first_key, of_lane);
      if (head.tokens - first_key < Shape::keys) leave_out_keys<Shape>(head.tokens - first_key, -INFINITY, of_lane);
      const float correction = softmax.add<Shape>(scale, first_key == 0, of_lane);
      if (is_long && __ballot_sync(all_lanes, correction != 1.0f) != 0) sums.scale_rows(correction, scores.sums);
      if (is_dropping) {
        drop<Shape>(kept, of_lane);
        kept_sum = kept_sum * correction + sum_of_keys<Shape>(of_lane);
      }
      store_key_values<Shape>(of_lane, weights);
      __syncwarp();
      sums.template add<by_rows>(weights, tile_rows, Shape::tiles, values + of_head);
    }
    first_key += Shape::keys;
  } while (is_long && first_key < head.tokens);
  if (!has_queries) return;
  const float inverse = softmax.inverse(), of_kept = inverse * static_cast<float>(attention.dropout.scale);
  const float of_bias = sum_of_lanes(is_dropping ? kept_sum : softmax.sum) * of_kept;
  const int query = tile.first + this_lane();
  if (statistics && this_lane() < tile_rows && query < head.queries) {
    float* const own_ones = statistics + place_of_query(attention, head, query) * attention_statistics;
    own_ones[0] = softmax.reference;
    own_ones[1] = inverse;
  }
  sums.write(scores.sums, tile.rows_of(head.queries), context_of(context, attention, head, tile.first),
             static_cast<int>(attention.hidden), [&](int row, float(&values_of_row)[8]) {
               const float factor = __shfl_sync(all_lanes, of_kept, row),
                           of_biases = __shfl_sync(all_lanes, of_bias, row);
               GAUSSCSE_UNROLL
               for (int i = 0; i < 8; ++i) values_of_row[i] = values_of_row[i] * factor + of_biases * value_at(bias, i);
             });
}

/// The forward of sentences of up to 64 tokens.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, 4)
    attention_warp_kernel(AttentionInput<float, Bfloat16> input, WarpGrid grid, Bfloat16* context) {
  with_shape_of_block<width>(grid, blockIdx.x,
                             [&](auto shape, const std::int32_t* sentences, unsigned pairs, unsigned block) {
                               using Shape = decltype(shape);
                               attend_by_warps<Shape, relative, false>(
                                   input, tile_of_warp<Shape>(input, sentences, pairs, block), context, nullptr);
                             });
}

/// The forward of longer sentences: a block for 64 queries.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, 3)
    attention_warp_long_kernel(AttentionInput<float, Bfloat16> input, Bfloat16* context, float* statistics) {
  const WarpTile tile = tile_of_long_sentence(input);
  if (tile.first_of_block() >= tile.head.queries) return;
  attend_by_warps<WarpShape<width, attention_classes>, relative, true>(input, tile, context, statistics);
}

}  // namespace gausscse::kernels::cuda
