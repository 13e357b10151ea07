#pragma once

#include "model/kernels/cuda/attention_long.cuh"

namespace gausscse::kernels::cuda {

/// Of each query and head, behind each other: the largest score, the inverse of the sum of weights, and the sum of
/// probabilities times their gradient.
constexpr int attention_statistics = 3;

/// Those of query `query` of a head, in `statistics` [queries, heads, attention_statistics].
template <typename Element>
__device__ Element* statistics_of(Element* statistics, const Attention& attention, const HeadOfSentence& head,
                                  int query) {
  return statistics + ((head.first_query + query) * attention.heads + head.head) * attention_statistics;
}

/// The gradient of queries, their statistics, and with `relative` the sums of the gradient of scores by buckets
/// [sentences*heads, tiles, buckets]. Arrays in shared memory: queries, gradient of the context, keys and
/// values of [input.rows, layout.stride], gradient of scores [input.rows, input.rows].
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, 1)
    attention_long_queries_kernel(AttentionInput<T, Factor> input, const Factor* grad_context, T* statistics,
                                  Factor* grad_qkv, T* bucket_sums) {
  using std::exp;
  const Attention& attention = input.attention;
  const HeadOfSentence head = head_of_block(attention);
  const int first_query = attention_rows * static_cast<int>(blockIdx.y);
  if (head.is_short || first_query >= head.queries) return;
  const HeadLayout& layout = input.layout;
  const auto elements = elements_of_rows(input);
  SharedArrays shared;
  SharedPointer<T> queries = shared.take<T>(elements);
  SharedPointer<T> grads = shared.take<T>(elements);
  SharedPointer<T> keys = shared.take<T>(elements);
  SharedPointer<T> values = shared.take<T>(elements);
  SharedPointer<T> grad_scores = shared.take<T>(elements_of_scores(input));
  const int query_rows = rows_of_tile(head.queries, first_query);
  const RowsToLoad<T, Factor> of_queries[] = {rows_of_part(input, head, query_part, first_query, query_rows, queries),
                                              rows_of_grad(input, head, grad_context, first_query, query_rows, grads)};
  load_rows(of_queries, layout);

  RunningSums<T> sums;
  ColumnsOfRows<T, columns> rows = {};
  [[maybe_unused]] BucketSum<T> buckets;
  // Once for the statistics, and once more with them for the gradient.
  for (int round = 0; round < 2; ++round) {
    for (int first_key = 0; first_key < head.tokens; first_key += attention_rows) {
      const int key_rows = rows_of_tile(head.tokens, first_key);
      __syncthreads();
      const RowsToLoad<T, Factor> of_keys[] = {rows_of_part(input, head, key_part, first_key, key_rows, keys),
                                               rows_of_part(input, head, value_part, first_key, key_rows, values)};
      load_rows(of_keys, layout);
      __syncthreads();
      const LaneKey key(key_rows);
      OfRows<T> scores, grad_weights;
      multiply_rows(queries, query_rows, keys, key, layout, scores);
      if constexpr (relative) add_relative_bias(input, head, first_query, query_rows, first_key, key, scores);
      multiply_rows(grads, query_rows, values, key, layout, grad_weights);
      const TileMask<T> mask = mask_of_tile<T>(attention, head, first_query, first_key, key);
      GAUSSCSE_UNROLL
      for (int group = 0; group < attention_groups; ++group) {
        if (first_row_of(group) >= query_rows) continue;
        GAUSSCSE_UNROLL
        for (int i = 0; i < 4; ++i) grad_weights[group][i] *= mask.factor(group, i);
        if (round == 0) {
          T corrections[4];
          sums.add(scores, group, key, input.scale, corrections);
          GAUSSCSE_UNROLL
          for (int i = 0; i < 4; ++i)
            sums.projection[group][i] =
                sums.projection[group][i] * corrections[i] + scores[group][i] * grad_weights[group][i];
        } else {
          GAUSSCSE_UNROLL
          for (int i = 0; i < 4; ++i) {
            const T probability =
                key.own ? exp((scores[group][i] - sums.largest[group][i]) * input.scale) * sums.sum[group][i] : T{0};
            scores[group][i] = probability * (grad_weights[group][i] - sums.projection[group][i]) * input.scale;
          }
        }
      }
      if (round == 0) continue;
      put_weights(scores, query_rows, key, grad_scores, input.rows);
      // A warp reads the rows that it wrote.
      __syncwarp();
      multiply_weights<columns>(grad_scores, input.rows, query_rows, keys, key_rows, layout, rows);
      if constexpr (relative) buckets.add(grad_scores, input.rows, first_query, query_rows, first_key, key_rows);
    }
    if (round == 0) sums.finish(query_rows);
  }
  store_rows<columns>(rows, query_rows, layout, part_of(grad_qkv, attention, head, query_part, first_query),
                      3 * attention.hidden);
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = first_row_of(group) + i;
      if (row >= query_rows || this_lane() != 0) continue;
      T* const of_query = statistics_of(statistics, attention, head, first_query + row);
      of_query[0] = sums.largest[group][i];
      of_query[1] = sums.sum[group][i];
      of_query[2] = sums.projection[group][i];
    }
  }
  if constexpr (relative) {
    __syncthreads();  // all have read the keys
    const T sum = buckets.of_block(keys);
    const std::int64_t tile = std::int64_t{blockIdx.x} * gridDim.y + blockIdx.y;
    if (threadIdx.x < warp_size) bucket_sums[tile * relative_position_buckets + this_lane()] = sum;
  }
}

/// The gradient of keys and values, and zeros for tokens that have no query. Arrays in shared memory: as for short
/// sentences.
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, 1)
    attention_long_keys_kernel(AttentionInput<T, Factor> input, const Factor* grad_context, const T* statistics,
                               Factor* grad_qkv) {
  using std::exp;
  const Attention& attention = input.attention;
  const HeadOfSentence head = head_of_block(attention);
  const int first_key = attention_rows * static_cast<int>(blockIdx.y);
  if (head.is_short || first_key >= head.tokens) return;
  const HeadLayout& layout = input.layout;
  const auto elements = elements_of_rows(input);
  const auto tile_scores = elements_of_scores(input);
  SharedArrays shared;
  SharedPointer<T> queries = shared.take<T>(elements);
  SharedPointer<T> keys = shared.take<T>(elements);
  SharedPointer<T> values = shared.take<T>(elements);
  SharedPointer<T> grads = shared.take<T>(elements);
  SharedPointer<T> dropped = shared.take<T>(tile_scores);
  SharedPointer<T> grad_scores = shared.take<T>(tile_scores);
  const int key_rows = rows_of_tile(head.tokens, first_key);
  const RowsToLoad<T, Factor> of_keys[] = {rows_of_part(input, head, key_part, first_key, key_rows, keys),
                                           rows_of_part(input, head, value_part, first_key, key_rows, values)};
  load_rows(of_keys, layout);

  const LaneKey key(key_rows);
  ColumnsOfRows<T, columns> grad_keys = {}, grad_values = {};
  for (int first_query = 0; first_query < head.queries; first_query += attention_rows) {
    const int query_rows = rows_of_tile(head.queries, first_query);
    __syncthreads();
    const RowsToLoad<T, Factor> of_queries[] = {
        rows_of_part(input, head, query_part, first_query, query_rows, queries),
        rows_of_grad(input, head, grad_context, first_query, query_rows, grads)};
    load_rows(of_queries, layout);
    __syncthreads();
    OfRows<T> scores, grad_weights;
    multiply_rows(queries, query_rows, keys, key, layout, scores);
    if constexpr (relative) add_relative_bias(input, head, first_query, query_rows, first_key, key, scores);
    multiply_rows(grads, query_rows, values, key, layout, grad_weights);
    const TileMask<T> mask = mask_of_tile<T>(attention, head, first_query, first_key, key);
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int row = first_row_of(group) + i;
        if (row >= query_rows) continue;
        const T* const of_query = statistics_of(statistics, attention, head, first_query + row);
        const T probability = key.own ? exp((scores[group][i] - of_query[0]) * input.scale) * of_query[1] : T{0};
        const T factor = mask.factor(group, i);
        scores[group][i] = probability * factor;
        grad_weights[group][i] = probability * (grad_weights[group][i] * factor - of_query[2]) * input.scale;
      }
    }
    put_weights(scores, query_rows, key, dropped, input.rows);
    put_weights(grad_weights, query_rows, key, grad_scores, input.rows);
    __syncthreads();
    multiply_transposed<columns>(grad_scores, input.rows, query_rows, queries, key_rows, layout, grad_keys);
    multiply_transposed<columns>(dropped, input.rows, query_rows, grads, key_rows, layout, grad_values);
  }
  const std::int64_t stride = 3 * attention.hidden;
  store_rows<columns>(grad_keys, key_rows, layout, part_of(grad_qkv, attention, head, key_part, first_key), stride);
  store_rows<columns>(grad_values, key_rows, layout, part_of(grad_qkv, attention, head, value_part, first_key), stride);
  const int with_query = head.queries > first_key ? head.queries - first_key : 0;
  clear_rows(with_query, key_rows, layout, part_of(grad_qkv, attention, head, query_part, first_key), stride);
}

}  // namespace gausscse::kernels::cuda
