#pragma once

#include "model/kernels/cuda/attention/long.cuh"

namespace gausscse::kernels::cuda {

/// For this warp's rows of a tile of queries: the statistics that make scores probabilities, and the sum over all keys
/// of dropped probabilities times their gradient.
template <typename T>
struct SoftmaxOfRows {
  int rows;  ///< rows of the tile
  WarpRowValues<T> largest, inverse_sum, projection;

  /// Reads the statistics of the tile that begins with query `first_query` of a head; `projections` [queries, heads]
  /// may be null.
  __device__ SoftmaxOfRows(const T* statistics, const T* projections, const Attention& attention,
                           const HeadOfSentence& head, int first_query, int query_rows)
      : rows(query_rows) {
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        largest[group][i] = inverse_sum[group][i] = projection[group][i] = 0;
        const int row = first_row_of(group) + i;
        if (row >= rows) continue;
        const std::int64_t query = place_of_query(attention, head, first_query + row);
        largest[group][i] = statistics[query * attention_statistics];
        inverse_sum[group][i] = statistics[query * attention_statistics + 1];
        if (projections) projection[group][i] = projections[query];
      }
    }
  }

  /// Computes the projection as the product of the context and its gradient. For the context is the sum of values times
  /// their dropped probabilities, and the gradient of these is the product of a value and the context's gradient. Both
  /// are given from the tile's first row on.
  template <typename Factor>
  __device__ void project(const Factor* context, const Factor* grad_context, std::int64_t stride,
                          const HeadLayout& layout) {
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int row = first_row_of(group) + i;
        if (row >= rows) continue;
        for (int column = this_lane(); column < layout.width; column += lanes_of_warp)
          projection[group][i] +=
              value_of(context[row * stride + column]) * value_of(grad_context[row * stride + column]);
      }
      warp_sums(projection[group]);
    }
  }

  /// Scores of a tile become dropped probabilities, and the gradient of these becomes that of the scores.
  __device__ void backward(const LaneKey& key, const TileMask<T>& mask, T scale, WarpRowValues<T>& scores,
                           WarpRowValues<T>& grads) const {
    using std::exp;
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) >= rows) continue;
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const T probability =
            key.own ? exp((scores[group][i] - largest[group][i]) * scale) * inverse_sum[group][i] : T{0};
        const T factor = mask.factor(group, i);
        scores[group][i] = probability * factor;
        grads[group][i] = probability * (grads[group][i] * factor - projection[group][i]) * scale;
      }
    }
  }
};

/// Rows of a head in shared memory.
template <typename T>
struct SharedRows {
  SharedPointer<T> queries, keys, values, grads;  ///< grads: of the context

  __device__ SharedRows(SharedArrays& shared, std::size_t elements)
      : queries(shared.take<T>(elements)),
        keys(shared.take<T>(elements)),
        values(shared.take<T>(elements)),
        grads(shared.take<T>(elements)) {}
};

/// Computes dropped probabilities, and the gradient of scores, of the tile that begins with these of a head's queries
/// and keys.
template <bool relative, typename T, typename Factor>
__device__ void differentiate_tile(const AttentionInput<T, Factor>& input, const HeadOfSentence& head,
                                   const SharedRows<T>& tile, const SoftmaxOfRows<T>& softmax, int first_query,
                                   int first_key, const LaneKey& key, WarpRowValues<T>& dropped, WarpRowValues<T>& grad_scores) {
  multiply_rows(tile.queries, softmax.rows, tile.keys, key, input.layout, dropped);
  if constexpr (relative) add_relative_bias(input, head, first_query, softmax.rows, first_key, key, dropped);
  leave_out_far_keys(input.attention, head, first_query, first_key, key, dropped);
  multiply_rows(tile.grads, softmax.rows, tile.values, key, input.layout, grad_scores);
  const TileMask<T> mask = mask_of_tile<T>(input.attention, head, first_query, first_key, key);
  softmax.backward(key, mask, input.scale, dropped, grad_scores);
}

/// Computes the gradient of queries, their projections [queries, heads], and with `relative` the sums of the gradient
/// of scores by buckets [sentences*heads, tiles, buckets]. `statistics` and `context` are the forward's. Arrays in
/// shared memory: SharedRows of [input.rows, layout.stride], gradient of scores [input.rows, input.rows].
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, 1)
    attention_long_queries_kernel(AttentionInput<T, Factor> input, const T* statistics, const Factor* context,
                                  const Factor* grad_context, Factor* grad_qkv, T* projections, T* bucket_sums) {
  const Attention& attention = input.attention;
  const HeadOfSentence head = head_of_block(input);
  const int first_query = attention_rows * static_cast<int>(blockIdx.y);
  if (head.is_short || first_query >= head.queries) return;
  const HeadLayout& layout = input.layout;
  SharedArrays shared;
  const SharedRows<T> tile(shared, elements_of_rows(input));
  SharedPointer<T> grad_scores = shared.take<T>(elements_of_scores(input));
  const int query_rows = rows_of_tile(head.queries, first_query);
  const RowsToLoad<T, Factor> of_queries[] = {
      rows_of_part(input, head, query_part, first_query, query_rows, tile.queries),
      rows_of_grad(input, head, grad_context, first_query, query_rows, tile.grads)};
  load_rows(of_queries, layout);
  SoftmaxOfRows<T> softmax(statistics, nullptr, attention, head, first_query, query_rows);
  softmax.project(context_of(context, attention, head, first_query),
                  context_of(grad_context, attention, head, first_query), attention.hidden, layout);

  ColumnsOfRows<T, columns> rows = {};
  [[maybe_unused]] BucketSum<T> buckets;
  for (int first_key = 0; first_key < head.tokens; first_key += attention_rows) {
    const int key_rows = rows_of_tile(head.tokens, first_key);
    __syncthreads();
    const RowsToLoad<T, Factor> of_keys[] = {rows_of_part(input, head, key_part, first_key, key_rows, tile.keys),
                                             rows_of_part(input, head, value_part, first_key, key_rows, tile.values)};
    load_rows(of_keys, layout);
    __syncthreads();
    const LaneKey key(key_rows);
    WarpRowValues<T> of_probabilities, of_scores;
    differentiate_tile<relative>(input, head, tile, softmax, first_query, first_key, key, of_probabilities, of_scores);
    store_weights(of_scores, query_rows, key, grad_scores, input.rows);
    // A warp reads the rows that it wrote.
    __syncwarp();
    multiply_weights<columns>(grad_scores, input.rows, query_rows, tile.keys, key_rows, layout, rows);
    if constexpr (relative) buckets.add(grad_scores, input.rows, first_query, query_rows, first_key, key_rows);
  }
  store_rows<columns>(rows, query_rows, layout, part_of(grad_qkv, attention, head, query_part, first_query),
                      3 * attention.hidden);
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = first_row_of(group) + i;
      if (row >= query_rows || this_lane() != 0) continue;
      projections[place_of_query(attention, head, first_query + row)] = softmax.projection[group][i];
    }
  }
  if constexpr (relative) {
    __syncthreads();  // all have read the keys
    const T sum = buckets.of_block(tile.keys);
    const std::int64_t place = std::int64_t{blockIdx.x} * gridDim.y + blockIdx.y;
    if (threadIdx.x < warp_size) bucket_sums[place * relative_position_buckets + this_lane()] = sum / input.scale;
  }
}

/// Computes the gradient of keys and values, and zeros for tokens that have no query. Arrays in shared memory: as for
/// short sentences.
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, 1)
    attention_long_keys_kernel(AttentionInput<T, Factor> input, const T* statistics, const T* projections,
                               const Factor* grad_context, Factor* grad_qkv) {
  const Attention& attention = input.attention;
  const HeadOfSentence head = head_of_block(input);
  const int first_key = attention_rows * static_cast<int>(blockIdx.y);
  if (head.is_short || first_key >= head.tokens) return;
  const HeadLayout& layout = input.layout;
  SharedArrays shared;
  const SharedRows<T> tile(shared, elements_of_rows(input));
  SharedPointer<T> dropped = shared.take<T>(elements_of_scores(input));
  SharedPointer<T> grad_scores = shared.take<T>(elements_of_scores(input));
  const int key_rows = rows_of_tile(head.tokens, first_key);
  const RowsToLoad<T, Factor> of_keys[] = {rows_of_part(input, head, key_part, first_key, key_rows, tile.keys),
                                           rows_of_part(input, head, value_part, first_key, key_rows, tile.values)};
  load_rows(of_keys, layout);

  const LaneKey key(key_rows);
  ColumnsOfRows<T, columns> grad_keys = {}, grad_values = {};
  for (int first_query = 0; first_query < head.queries; first_query += attention_rows) {
    const int query_rows = rows_of_tile(head.queries, first_query);
    __syncthreads();
    const RowsToLoad<T, Factor> of_queries[] = {
        rows_of_part(input, head, query_part, first_query, query_rows, tile.queries),
        rows_of_grad(input, head, grad_context, first_query, query_rows, tile.grads)};
    load_rows(of_queries, layout);
    __syncthreads();
    const SoftmaxOfRows<T> softmax(statistics, projections, attention, head, first_query, query_rows);
    WarpRowValues<T> of_probabilities, of_scores;
    differentiate_tile<relative>(input, head, tile, softmax, first_query, first_key, key, of_probabilities, of_scores);
    store_weights(of_probabilities, query_rows, key, dropped, input.rows);
    store_weights(of_scores, query_rows, key, grad_scores, input.rows);
    __syncthreads();
    multiply_transposed<columns>(grad_scores, input.rows, query_rows, tile.queries, key_rows, layout, grad_keys);
    multiply_transposed<columns>(dropped, input.rows, query_rows, tile.grads, key_rows, layout, grad_values);
  }
  const std::int64_t stride = 3 * attention.hidden;
  store_rows<columns>(grad_keys, key_rows, layout, part_of(grad_qkv, attention, head, key_part, first_key), stride);
  store_rows<columns>(grad_values, key_rows, layout, part_of(grad_qkv, attention, head, value_part, first_key), stride);
  const int with_query = head.queries > first_key ? head.queries - first_key : 0;
  clear_rows(with_query, key_rows, layout, part_of(grad_qkv, attention, head, query_part, first_key), stride);
}

}  // namespace gausscse::kernels::cuda
