#pragma once

#include "model/kernels/cuda/attention/warp.cuh"
#include "model/kernels/cuda/attention/warp_gradient.cuh"

namespace gausscse::kernels::cuda {

template <typename Shape, bool relative>
__device__ void differentiate_by_warps(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile,
                                       const Bfloat16* grad_context, Bfloat16* grad_qkv, float* grad_relative_bias) {
  const Attention& attention = input.attention;
  SharedArrays shared;
  const WarpGradientArrays<Shape> arrays(shared, tile.row / tile_rows);
  const HeadOfSentence& head = tile.head;
  const int own_rows = tile.row * Shape::row_stride, rows_of_head = tile.row_of_head * Shape::row_stride;
  const int own_weights = tile.row * Shape::weight_stride, weights_of_head = tile.row_of_head * Shape::weight_stride;
  if (head.length > 0)
    load_warp_rows<Shape>({warp_rows_of_part(input, tile, query_part, head.queries, arrays.queries + own_rows),
                           warp_rows_of_part(input, tile, key_part, head.length, arrays.keys + own_rows),
                           warp_rows_of_part(input, tile, value_part, head.length, arrays.values + own_rows),
                           warp_rows_of_grad(attention, tile, grad_context, arrays.grads + own_rows)});
  __syncthreads();

  const int stride = 3 * static_cast<int>(attention.hidden);
  const auto place = [&](QkvPart part) { return part_of(grad_qkv, attention, head, part, tile.first); };
  const GradientFactors factors(input);
  SharedPointer<float> room = arrays.scores.sums;
  float bucket_sum = 0;
  if (tile.first < head.queries) {
    const float of_bias = product_with_grad<Shape>(arrays.grads + own_rows, bias_of_part(input, head, value_part));
    const unsigned kept = kept_of_short<Shape>(attention, tile, arrays.scores.votes);
    WarpKeyValues<Shape> probabilities, of_scores;
    multiply_for_keys<Shape>(arrays.queries + own_rows, arrays.keys + rows_of_head, arrays.scores, probabilities);
    if constexpr (relative) add_warp_relative_bias<Shape>(input, tile, 0, arrays.scores, probabilities);
    leave_out_far_keys<Shape>(attention, tile, 0, probabilities);
    leave_out_keys<Shape>(head.tokens, -INFINITY, probabilities);
    WarpSoftmax softmax;
    softmax.add<Shape>(scale_of_powers(input), true, probabilities);
    scale_of_keys<Shape>(softmax.inverse(), probabilities);
    multiply_for_keys<Shape>(arrays.grads + own_rows, arrays.values + rows_of_head, arrays.scores, of_scores);
    drop_gradients<Shape>(attention, of_bias, kept, of_scores);
    float projection = 0;
    for_each_key<Shape>(of_scores, [&](float grad, int t, int i) { projection += grad * probabilities[t][i]; });
    differentiate_softmax<Shape>(probabilities, sum_of_lanes(projection), of_scores);
    if constexpr (relative) bucket_sum = warp_bucket_sum<Shape>(tile, 0, of_scores, arrays.scores);
    store_key_values<Shape>(of_scores, arrays.grad_scores + own_weights);
    if (attention.dropout.threshold != 0) drop<Shape>(kept, probabilities);
    store_key_values<Shape>(probabilities, arrays.dropped + own_weights);
    __syncwarp();
    WarpSums<Shape> sums;
    sums.template add<by_rows>(arrays.grad_scores + own_weights, tile_rows, Shape::tiles, arrays.keys + rows_of_head);
    sums.write_scaled(room, tile.rows_of(head.queries), place(query_part), stride, factors.of_scores);
  }
  if constexpr (relative) arrays.of_threads[threadIdx.x] = bucket_sum;
  __syncthreads();
  if (tile.first >= head.length) return;

  const int rows = tile.rows_of(head.length), queries_of_tile = tile.rows_of(head.queries);
  clear_warp_rows<Shape>(queries_of_tile > 0 ? queries_of_tile : 0, rows, place(query_part), stride);
  const int query_tiles = (head.queries + tile_rows - 1) / tile_rows, next = tile_rows * Shape::weight_stride;
  const auto write = [&](QkvPart part, SharedPointer<Bfloat16> weights, SharedPointer<Bfloat16> of_queries,
                         float factor) {
    WarpSums<Shape> sums;
    sums.template add<transposed>(weights + weights_of_head + tile.first, next, query_tiles, of_queries + rows_of_head);
    sums.write_scaled(room, rows, place(part), stride, factor);
  };
  write(key_part, arrays.grad_scores, arrays.queries, factors.of_scores);
  write(value_part, arrays.dropped, arrays.grads, factors.of_values);
  if constexpr (relative) {
    if (tile.first > 0) return;
    const std::int64_t bucket = head.sentence * relative_position_buckets + this_lane();
    grad_relative_bias[bucket * attention.heads + head.head] +=
        factors.of_values * sum_of_warps(arrays.of_threads, tile.row / tile_rows, Shape::tiles);
  }
}

/// The backward of sentences of up to 64 tokens, for the same blocks as the forward.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, 3)
    attention_warp_backward_kernel(AttentionInput<float, Bfloat16> input, WarpGrid grid, const Bfloat16* grad_context,
                                   Bfloat16* grad_qkv, float* grad_relative_bias) {
  with_shape_of_block<width>(
      grid, blockIdx.x, [&](auto shape, const std::int32_t* sentences, unsigned pairs, unsigned block) {
        using Shape = decltype(shape);
        differentiate_by_warps<Shape, relative>(input, tile_of_warp<Shape>(input, sentences, pairs, block),
                                                grad_context, grad_qkv, grad_relative_bias);
      });
}

}  // namespace gausscse::kernels::cuda
