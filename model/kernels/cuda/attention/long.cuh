#pragma once

#include <cmath>
#include <limits>

#include "model/kernels/cuda/attention/relative.cuh"

namespace gausscse::kernels::cuda {

// Attention within sentences of several tiles: a block for each tile of queries goes over the tiles of keys, or the
// other way round for the gradient of keys and values.

/// For the queries of a tile, over the keys seen so far: the largest score, and the sum over this lane's keys of
/// weights, by which are meant exponentials relative to it.
template <typename T>
struct RunningSums {
  WarpRowValues<T> largest, sum;

  __device__ RunningSums() {
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        largest[group][i] = -std::numeric_limits<T>::infinity();
        sum[group][i] = 0;
      }
    }
  }

  /// Adds scores of a group, which become weights. Sums that are relative to the old largest score are to be multiplied
  /// by `corrections`.
  __device__ void add(WarpRowValues<T>& scores, int group, const LaneKey& key, T scale, T (&corrections)[4]) {
    using std::exp;
    T of_tile[4];
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) of_tile[i] = scores[group][i];
    warp_maxima(of_tile);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const T old = largest[group][i];
      const T now = old > of_tile[i] || old != old ? old : of_tile[i];
      largest[group][i] = now;
      corrections[i] = exp((old - now) * scale);
      scores[group][i] = key.own ? exp((scores[group][i] - now) * scale) : T{0};
      sum[group][i] = sum[group][i] * corrections[i] + scores[group][i];
    }
  }

  /// Replaces this lane's sum by the inverse of the sum over all lanes.
  __device__ void finish(int rows) {
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) >= rows) continue;
      warp_sums(sum[group]);
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) sum[group][i] = T{1} / sum[group][i];
    }
  }
};

/// Returns the rows of the tile that begins with row `first` of `count`.
__device__ inline int rows_of_tile(int count, int first) {
  return count - first < attention_rows ? count - first : attention_rows;
}

/// Computes the context of a tile of queries. `statistics` may be null. Arrays in shared memory: queries, keys and
/// values of [input.rows, layout.stride], weights [input.rows, input.rows].
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, 1)
    attention_long_kernel(AttentionInput<T, Factor> input, Factor* context, T* statistics) {
  const HeadOfSentence head = head_of_block(input);
  const int first_query = attention_rows * static_cast<int>(blockIdx.y);
  if (head.is_short || first_query >= head.queries) return;
  const HeadLayout& layout = input.layout;
  const auto elements = elements_of_rows(input);
  SharedArrays shared;
  SharedPointer<T> queries = shared.take<T>(elements);
  SharedPointer<T> keys = shared.take<T>(elements);
  SharedPointer<T> values = shared.take<T>(elements);
  SharedPointer<T> weights = shared.take<T>(elements_of_scores(input));
  const int query_rows = rows_of_tile(head.queries, first_query);
  const RowsToLoad<T, Factor> of_queries[] = {rows_of_part(input, head, query_part, first_query, query_rows, queries)};
  load_rows(of_queries, layout);

  RunningSums<T> sums;
  ColumnsOfRows<T, columns> rows = {};
  for (int first_key = 0; first_key < head.tokens; first_key += attention_rows) {
    const int key_rows = rows_of_tile(head.tokens, first_key);
    __syncthreads();
    const RowsToLoad<T, Factor> of_keys[] = {rows_of_part(input, head, key_part, first_key, key_rows, keys),
                                             rows_of_part(input, head, value_part, first_key, key_rows, values)};
    load_rows(of_keys, layout);
    __syncthreads();
    const LaneKey key(key_rows);
    WarpRowValues<T> scores;
    multiply_rows(queries, query_rows, keys, key, layout, scores);
    if constexpr (relative) add_relative_bias(input, head, first_query, query_rows, first_key, key, scores);
    leave_out_far_keys(input.attention, head, first_query, first_key, key, scores);
    const TileMask<T> mask = mask_of_tile<T>(input.attention, head, first_query, first_key, key);
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) >= query_rows) continue;
      T corrections[4];
      sums.add(scores, group, key, input.scale, corrections);
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) {
        scores[group][i] *= mask.factor(group, i);
        GAUSSCSE_UNROLL
        for (int c = 0; c < columns; ++c) rows[group][i][c] *= corrections[i];
      }
    }
    store_weights(scores, query_rows, key, weights, input.rows);
    // A warp reads the rows that it wrote.
    __syncwarp();
    multiply_weights<columns>(weights, input.rows, query_rows, values, key_rows, layout, rows);
  }
  sums.finish(query_rows);
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      GAUSSCSE_UNROLL
      for (int c = 0; c < columns; ++c) rows[group][i][c] *= sums.sum[group][i];
      const int row = first_row_of(group) + i;
      if (!statistics || row >= query_rows || this_lane() != 0) continue;
      T* const kept = statistics + place_of_query(input.attention, head, first_query + row) * attention_statistics;
      kept[0] = sums.largest[group][i];
      kept[1] = sums.sum[group][i];
    }
  }
  store_rows<columns>(rows, query_rows, layout, context_of(context, input.attention, head, first_query),
                      input.attention.hidden);
}

}  // namespace gausscse::kernels::cuda
