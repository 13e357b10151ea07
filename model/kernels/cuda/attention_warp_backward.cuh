#pragma once

#include "model/kernels/cuda/attention_warp.cuh"

namespace gausscse::kernels::cuda {

/// Returns this lane's bucket's sum of the gradients of the scores of a warp's queries.
template <typename Shape>
__device__ float warp_bucket_sum(const WarpTile& tile, SharedPointer<float> grads) {
  static_assert(relative_position_buckets == lanes_of_warp);
  const OffsetRange range = offsets_of_bucket(this_lane(), Shape::tiles * tile_rows);
  float sum = 0;
  for (int query = 0; query < tile.rows_of(tile.head.queries); ++query) {
    const int least = tile.first + query + range.least, most = tile.first + query + range.most;
    for (int key = least > 0 ? least : 0; key <= most && key < tile.head.tokens; ++key)
      sum += grads[query * Shape::score_stride + key];
  }
  return sum;
}

/// Returns the product of this lane's row of the gradient of the context with the bias of values.
template <typename Shape>
__device__ float product_with_bias(SharedPointer<Bfloat16> grad, const float* bias) {
  float sum = 0;
  GAUSSCSE_UNROLL
  for (int column = 0; column < Shape::width / 2; column += 8) {
    const int own = this_lane() / tile_rows * (Shape::width / 2) + column;
    const Eight<Bfloat16> of_grad = eight_at(grad, query_of_lane() * Shape::row_stride + own);
    const Eight<float> of_bias = read_eight(bias + own);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) sum += value_at(of_grad, i) * value_at(of_bias, i);
  }
  return sum + __shfl_xor_sync(all_lanes, sum, 16);
}

/// Computes the gradient of scores, without their scale, from that of dropped probabilities without the values' bias.
template <typename Shape>
__device__ void warp_grad_scores(const WarpMask& mask, SharedPointer<std::uint32_t> votes, float of_bias,
                                 const OfKeys<Shape>& probabilities, OfKeys<Shape>& grads) {
  float projection = 0;
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    const unsigned kept = mask.kept(votes, tile);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) {
      grads[tile][i] = (kept >> i & 1u) != 0 ? (grads[tile][i] + of_bias) * mask.scale : 0.0f;
      projection += grads[tile][i] * probabilities[tile][i];
    }
  }
  projection += __shfl_xor_sync(all_lanes, projection, 16);
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) grads[tile][i] = probabilities[tile][i] * (grads[tile][i] - projection);
  }
}

template <typename Shape, bool relative>
__device__ void differentiate_by_warps(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile,
                                       const Bfloat16* grad_context, Bfloat16* grad_qkv, float* grad_relative_bias) {
  const Attention& attention = input.attention;
  SharedArrays shared;
  SharedPointer<Bfloat16> queries = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> keys = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> values = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> grads = shared.take<Bfloat16>(Shape::rows * Shape::row_stride);
  SharedPointer<Bfloat16> dropped = shared.take<Bfloat16>(Shape::rows * Shape::weight_stride);
  SharedPointer<Bfloat16> grad_scores = shared.take<Bfloat16>(Shape::rows * Shape::weight_stride);
  SharedPointer<float> scores = shared.take<float>(Shape::rows * Shape::score_stride) + tile.row * Shape::score_stride;
  SharedPointer<std::uint32_t> votes =
      shared.take<std::uint32_t>(attention_warps * Shape::votes) + tile.row / tile_rows * Shape::votes;
  SharedPointer<float> bucket_sums = shared.take<float>(attention_threads);
  const HeadOfSentence& head = tile.head;
  const int own_rows = tile.row * Shape::row_stride, rows_of_head = tile.row_of_head * Shape::row_stride;
  const int own_weights = tile.row * Shape::weight_stride, weights_of_head = tile.row_of_head * Shape::weight_stride;
  if (head.length > 0) {
    const WarpRows matrices[] = {
        warp_rows_of_part(input, tile, query_part, head.queries, queries + own_rows),
        warp_rows_of_part(input, tile, key_part, head.length, keys + own_rows),
        warp_rows_of_part(input, tile, value_part, head.length, values + own_rows),
        {context_of(grad_context, attention, head, tile.first), static_cast<int>(attention.hidden), nullptr,
         tile.rows_of(head.queries), grads + own_rows}};
    load_warp_rows<Shape>(matrices);
  }
  __syncthreads();

  const int stride = 3 * static_cast<int>(attention.hidden);
  const auto place = [&](QkvPart part) { return part_of(grad_qkv, attention, head, part, tile.first); };
  float bucket_sum = 0;
  if (tile.first < head.queries) {
    const float of_bias = product_with_bias<Shape>(grads + own_rows, bias_of_part(input, head, value_part));
    const WarpMask mask = warp_mask(attention, tile, votes);
    multiply_warp_rows<Shape>(queries + own_rows, keys + rows_of_head, scores);
    __syncwarp();
    OfKeys<Shape> probabilities, of_scores;
    read_of_keys<Shape>(scores, probabilities);
    scale_of_keys<Shape>(warp_softmax<Shape, relative>(input, tile, probabilities), probabilities);
    __syncwarp();
    multiply_warp_rows<Shape>(grads + own_rows, values + rows_of_head, scores);
    __syncwarp();
    read_of_keys<Shape>(scores, of_scores);
    warp_grad_scores<Shape>(mask, votes, of_bias, probabilities, of_scores);
    if constexpr (relative) {
      put_of_keys<Shape>(of_scores, scores);
      __syncwarp();
      bucket_sum = warp_bucket_sum<Shape>(tile, scores);
    }
    scale_of_keys<Shape>(input.scale, of_scores);
    put_of_keys<Shape>(of_scores, grad_scores + own_weights);
    drop<Shape>(mask, votes, mask.scale, probabilities);
    put_of_keys<Shape>(probabilities, dropped + own_weights);
    __syncwarp();
    add_weighted_rows<Shape, by_rows>(grad_scores + own_weights, tile_rows, Shape::tiles, keys + rows_of_head, scores);
    __syncwarp();
    write_warp_rows<Shape>(scores, tile.rows_of(head.queries), place(query_part), stride);
  }
  if constexpr (relative) bucket_sums[threadIdx.x] = bucket_sum;
  __syncthreads();
  if (tile.first >= head.length) return;

  const int rows = tile.rows_of(head.length), queries_of_tile = tile.rows_of(head.queries);
  clear_warp_rows<Shape>(queries_of_tile > 0 ? queries_of_tile : 0, rows, place(query_part), stride);
  const int query_tiles = (head.queries + tile_rows - 1) / tile_rows, next = tile_rows * Shape::weight_stride;
  add_weighted_rows<Shape, transposed>(grad_scores + weights_of_head + tile.first, next, query_tiles,
                                       queries + rows_of_head, scores);
  __syncwarp();
  write_warp_rows<Shape>(scores, rows, place(key_part), stride);
  __syncwarp();
  add_weighted_rows<Shape, transposed>(dropped + weights_of_head + tile.first, next, query_tiles, grads + rows_of_head,
                                       scores);
  __syncwarp();
  write_warp_rows<Shape>(scores, rows, place(value_part), stride);
  if constexpr (relative) {
    if (tile.first > 0) return;
    float sum = 0;
    for (int other = 0; other < Shape::tiles; ++other) sum += bucket_sums[threadIdx.x + warp_size * other];
    const std::int64_t bucket = head.sentence * relative_position_buckets + this_lane();
    grad_relative_bias[bucket * attention.heads + head.head] += sum;
  }
}

/// The backward, for the same blocks.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, relative ? 2 : 3)
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
