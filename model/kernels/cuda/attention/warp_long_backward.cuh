#pragma once

#include "model/kernels/cuda/attention/warp_gradient.cuh"

namespace gausscse::kernels::cuda {

// The backward of sentences of more than 64 tokens, in two kernels. One has blocks of 64 queries, which go over the
// keys, and one has blocks of 64 keys, which go over the queries. Both compute the scores again, so that no block adds
// to sums of another.

/// Numbers of a query that make products probabilities, and their gradients those of scores.
struct LongQuery {
  float logarithm;   ///< logarithm of the sum of all weights, to the base of 2
  float projection;  ///< see warp_gradient.cuh
  float of_bias;     ///< product of the context's gradient with the bias of values
};

/// Arrays that the kernel of queries writes for that of keys. Rows are those of the context.
struct LongBackward {
  Vec4<float>* queries;  ///< [rows, heads], a LongQuery and nothing
  std::uint32_t* kept;   ///< [tiles of keys, heads, rows, 2], masks of KeptOfLong for the two lanes of each query
  std::int64_t rows;

  __device__ std::uint32_t& kept_of_lane(const Attention& attention, const HeadOfSentence& head, int key_tile,
                                         int query) const {
    const std::int64_t row = (key_tile * attention.heads + head.head) * rows + head.first_query + query;
    return kept[2 * row + this_lane() / tile_rows];
  }
};

/// Sums of keys or queries leave registers for the scores of 32 keys at a time.
template <int width>
using LongShape = WarpShape<width, attention_classes, attention_classes / 2>;

/// Computes probabilities of a warp's queries and 64 keys from `first_key` on, and the gradients of their scores
/// without the factors of GradientFactors. Calls take(first, probabilities, of_scores, kept) for some keys at a time,
/// `first` of which is their first among the 64. Numbers of keys behind the last one are not defined.
template <typename Shape, bool relative, typename Take>
__device__ void differentiate_long(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile, int first_key,
                                   const WarpGradientArrays<Shape>& arrays, const LongQuery& query, unsigned kept,
                                   const Take& take) {
  const int own = tile.row * Shape::row_stride;
  const float scale = scale_of_powers(input);
  GAUSSCSE_UNROLL_BY(1)
  for (int first = 0; first < Shape::keys; first += Shape::keys_at_once) {
    WarpKeyValues<Shape> probabilities, of_scores;
    const int rows = first * Shape::row_stride;
    multiply_for_keys<Shape>(arrays.queries + own, arrays.keys + rows, arrays.scores, probabilities);
    if constexpr (relative) add_warp_relative_bias<Shape>(input, tile, first_key + first, arrays.scores, probabilities);
    leave_out_far_keys<Shape>(input.attention, tile, first_key + first, probabilities);
    for_each_key<Shape>(probabilities,
                        [&](float& value, int, int) { value = DeviceMath::exp2(value * scale - query.logarithm); });
    multiply_for_keys<Shape>(arrays.grads + own, arrays.values + rows, arrays.scores, of_scores);
    drop_gradients<Shape>(input.attention, query.of_bias, kept, of_scores);
    differentiate_softmax<Shape>(probabilities, query.projection, of_scores);
    take(first, probabilities, of_scores, kept);
    // Eight bits a tile.
    kept >>= Shape::keys_at_once / 2;
  }
}

/// Computes the gradient of queries, their projections, the masks, and with `relative` the sums of the gradient of
/// scores by buckets [sentences*heads, tiles of queries, buckets].
///
/// The projection is the product of the context and its gradient. For the context is the sum of values times their
/// dropped probabilities, and the gradient of these is the product of a value and the context's gradient.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, relative ? 2 : 3)
    attention_warp_queries_kernel(AttentionInput<float, Bfloat16> input, LongBackward between, const float* statistics,
                                  const Bfloat16* context, const Bfloat16* grad_context, Bfloat16* grad_qkv,
                                  float* bucket_sums) {
  using Shape = LongShape<width>;
  const Attention& attention = input.attention;
  const WarpTile tile = tile_of_long_sentence(input);
  const HeadOfSentence& head = tile.head;
  if (tile.first_of_block() >= head.queries) return;
  SharedArrays shared;
  const WarpGradientArrays<Shape> arrays(shared, this_warp());
  const int own_rows = tile.row * Shape::row_stride, query = tile.first + query_of_lane();
  SharedPointer<Bfloat16> grad_scores = arrays.grad_scores + tile.row * Shape::weight_stride;
  load_warp_rows<Shape>({warp_rows_of_part(input, tile, query_part, head.queries, arrays.queries + own_rows),
                         warp_rows_of_grad(attention, tile, grad_context, arrays.grads + own_rows)});
  __syncwarp();
  const GradientFactors factors(input);
  // A query behind the last one has probabilities of zero.
  LongQuery of_query{INFINITY, 0, 0};
  of_query.of_bias = product_with_grad<Shape>(arrays.grads + own_rows, bias_of_part(input, head, value_part));
  const Bfloat16* const own_context = context_of(context, attention, head, query < head.queries ? query : 0);
  of_query.projection = product_with_grad<Shape>(arrays.grads + own_rows, own_context) / factors.of_values;
  if (query < head.queries) {
    const std::int64_t place = place_of_query(attention, head, query);
    const float* const own = statistics + place * attention_statistics;
    of_query.logarithm = own[0] - DeviceMath::log2(own[1]);
    between.queries[place] = {{of_query.logarithm, of_query.projection, of_query.of_bias, 0}};
  }

  KeptOfLong masks(attention, tile);
  WarpSums<Shape> sums;
  [[maybe_unused]] float bucket_sum = 0;
  int first_key = 0;
  do {
    if (first_key > 0) __syncthreads();
    const WarpTile key_tile = tile.from(first_key);
    load_warp_rows<Shape>({warp_rows_of_part(input, key_tile, key_part, head.length, arrays.keys + own_rows),
                           warp_rows_of_part(input, key_tile, value_part, head.length, arrays.values + own_rows)});
    __syncthreads();
    if (tile.first < head.queries) {
      const unsigned kept = masks.next();
      if (attention.dropout.threshold != 0 && query < head.queries)
        between.kept_of_lane(attention, head, first_key / Shape::keys, query) = kept;
      const auto take = [&](int first, WarpKeyValues<Shape>&, WarpKeyValues<Shape>& of_scores, unsigned) {
        const int keys = head.tokens - first_key - first;
        if (keys < Shape::keys_at_once) leave_out_keys<Shape>(keys, 0.0f, of_scores);
        store_key_values<Shape>(of_scores, grad_scores + first);
        if constexpr (relative) bucket_sum += warp_bucket_sum<Shape>(tile, first_key + first, of_scores, arrays.scores);
      };
      differentiate_long<Shape, relative>(input, tile, first_key, arrays, of_query, kept, take);
      __syncwarp();
      sums.template add<by_rows>(grad_scores, tile_rows, Shape::tiles, arrays.keys);
    }
    first_key += Shape::keys;
  } while (first_key < head.tokens);
  sums.write_scaled(arrays.scores.sums, tile.rows_of(head.queries),
                    part_of(grad_qkv, attention, head, query_part, tile.first), 3 * static_cast<int>(attention.hidden),
                    factors.of_scores);
  if constexpr (relative) {
    arrays.of_threads[threadIdx.x] = bucket_sum;
    __syncthreads();
    const std::int64_t place = std::int64_t{blockIdx.x} * gridDim.y + blockIdx.y;
    if (threadIdx.x < warp_size)
      bucket_sums[place * relative_position_buckets + this_lane()] =
          factors.of_values * sum_of_warps(arrays.of_threads, 0, attention_warps);
  }
}

/// Computes the gradient of keys and values, and zeros for tokens that have no query.
template <int width, bool relative>
__global__ void __launch_bounds__(attention_threads, relative ? 2 : 3)
    attention_warp_keys_kernel(AttentionInput<float, Bfloat16> input, LongBackward between,
                               const Bfloat16* grad_context, Bfloat16* grad_qkv) {
  using Shape = LongShape<width>;
  const Attention& attention = input.attention;
  const WarpTile key_tile = tile_of_long_sentence(input);
  const HeadOfSentence& head = key_tile.head;
  const int first_key = Shape::keys * static_cast<int>(blockIdx.y);
  if (first_key >= head.tokens) return;
  SharedArrays shared;
  const WarpGradientArrays<Shape> arrays(shared, this_warp());
  const int own_rows = key_tile.row * Shape::row_stride, own_weights = key_tile.row * Shape::weight_stride;
  load_warp_rows<Shape>({warp_rows_of_part(input, key_tile, key_part, head.tokens, arrays.keys + own_rows),
                         warp_rows_of_part(input, key_tile, value_part, head.tokens, arrays.values + own_rows)});

  WarpSums<Shape> grad_keys, grad_values;
  int first_query = 0;
  do {
    if (first_query > 0) __syncthreads();
    const WarpTile tile = key_tile.from(first_query);
    // Read together with the rows. A query behind the last one has probabilities of zero.
    const int query = tile.first + query_of_lane(), nearest = query < head.queries ? query : head.queries - 1;
    const Vec4<float> own = between.queries[place_of_query(attention, head, nearest)];
    unsigned kept = all_lanes;
    if (attention.dropout.threshold != 0)
      kept = between.kept_of_lane(attention, head, static_cast<int>(blockIdx.y), nearest);
    load_warp_rows<Shape>({warp_rows_of_part(input, tile, query_part, head.queries, arrays.queries + own_rows),
                           warp_rows_of_grad(attention, tile, grad_context, arrays.grads + own_rows)});
    __syncthreads();
    if (tile.first < head.queries) {
      const LongQuery of_query{query < head.queries ? own.at[0] : INFINITY, own.at[1], own.at[2]};
      const auto take = [&](int first, WarpKeyValues<Shape>& probabilities, WarpKeyValues<Shape>& of_scores, unsigned kept_of_keys) {
        store_key_values<Shape>(of_scores, arrays.grad_scores + own_weights + first);
        if (attention.dropout.threshold != 0) drop<Shape>(kept_of_keys, probabilities);
        store_key_values<Shape>(probabilities, arrays.dropped + own_weights + first);
      };
      differentiate_long<Shape, relative>(input, tile, first_key, arrays, of_query, kept, take);
    }
    __syncthreads();
    const int queries = head.queries - first_query, next = tile_rows * Shape::weight_stride;
    const int query_tiles = (queries + tile_rows - 1) / tile_rows;
    grad_keys.template add<transposed>(arrays.grad_scores + key_tile.row, next, query_tiles, arrays.queries);
    grad_values.template add<transposed>(arrays.dropped + key_tile.row, next, query_tiles, arrays.grads);
    first_query += Shape::rows;
  } while (first_query < head.queries);
  const int rows = key_tile.rows_of(head.tokens), stride = 3 * static_cast<int>(attention.hidden);
  const auto place = [&](QkvPart part) { return part_of(grad_qkv, attention, head, part, key_tile.first); };
  const GradientFactors factors(input);
  grad_keys.write_scaled(arrays.scores.sums, rows, place(key_part), stride, factors.of_scores);
  grad_values.write_scaled(arrays.scores.sums, rows, place(value_part), stride, factors.of_values);
  const int with_query = key_tile.rows_of(head.queries);
  clear_warp_rows<Shape>(with_query > 0 ? with_query : 0, rows, place(query_part), stride);
}

}  // namespace gausscse::kernels::cuda
