#pragma once

#include <cmath>

#include "model/kernels/cuda/attention/relative.cuh"

namespace gausscse::kernels::cuda {

// Attention within sentences that fit into one tile: one block for each head of each sentence does all of it.

/// Turns scores into probabilities, which are zero in lanes without a key.
template <typename T>
__device__ void softmax_of_tile(WarpRowValues<T>& scores, int rows, const LaneKey& key, T scale) {
  using std::exp;
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    if (first_row_of(group) >= rows) continue;
    T largest[4], sums[4];
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) largest[i] = scores[group][i];
    warp_maxima(largest);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      scores[group][i] = key.own ? exp((scores[group][i] - largest[i]) * scale) : T{0};
      sums[i] = scores[group][i];
    }
    warp_sums(sums);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) scores[group][i] *= T{1} / sums[i];
  }
}

/// Returns the queries, of the four from `first` on (a multiple of four), that keep their probability of this lane's
/// key, in a sentence of up to 32 tokens: a bit each. One counter has their words where rows of the mask are 16 wide;
/// where they are 32 wide a lane and its opposite run one each.
__device__ inline unsigned kept_of_four(const DropoutSite& site, std::uint32_t sample, std::uint32_t row, int first,
                                        int padded) {
  const int lane = this_lane(), column = lane % 16;
  const bool upper = lane >= 16;
  const int element = padded == 16 ? first * 16 + column : (first + (upper ? 2 : 0)) * 32 + column;
  const PhiloxCounter words = dropout_words(site, sample, row, dropout_counter(static_cast<std::uint32_t>(element)));
  unsigned kept = 0;
  GAUSSCSE_UNROLL
  for (unsigned i = 0; i < 4; ++i) kept |= (words[i] >= site.threshold ? 1u : 0u) << i;
  if (padded == 16) return kept;
  const unsigned others = __shfl_xor_sync(all_lanes, kept, 16);
  const unsigned of_first = upper ? others >> 1 : kept, of_second = upper ? kept >> 1 : others;
  return (of_first & 1u) | (of_first >> 1 & 2u) | (of_second & 1u) << 2 | (of_second >> 1 & 2u) << 2;
}

/// Returns the mask of all of a sentence's probabilities.
template <typename T>
__device__ TileMask<T> mask_of_short(const Attention& attention, const HeadOfSentence& head) {
  const DropoutSite& site = attention.dropout;
  if (site.threshold == 0) return {~0u, T{1}};
  const std::uint32_t sample = attention.shape.samples[head.sentence], row = static_cast<std::uint32_t>(head.head);
  unsigned kept = 0;
  for (int group = 0; group < attention_groups; ++group) {
    const int first = first_row_of(group);
    if (first < head.queries) kept |= kept_of_four(site, sample, row, first, head.padded) << (4 * group);
  }
  return {kept, static_cast<T>(site.scale)};
}

/// Blocks that are on a multiprocessor of 164 KB of shared memory at once; this limits a kernel's registers.
template <typename T>
constexpr unsigned short_blocks(int columns) {
  return sizeof(T) == 8 ? 1u : columns > 2 ? 4u : 8u;
}
template <typename T>
constexpr unsigned short_backward_blocks(int columns) {
  if (sizeof(T) == 8) return 1u;
  return columns == 1 ? 7u : columns > 2 ? 2u : 5u;
}

/// Arrays of [input.rows, layout.stride] in shared memory: queries (then probabilities), keys, values.
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, short_blocks<T>(columns))
    attention_short_kernel(AttentionInput<T, Factor> input, Factor* context) {
  const HeadOfSentence head = head_of_block(input);
  if (!head.is_short || head.queries == 0) return;
  const HeadLayout& layout = input.layout;
  const auto elements = elements_of_rows(input);
  SharedArrays shared;
  SharedPointer<T> queries = shared.take<T>(elements);
  SharedPointer<T> keys = shared.take<T>(elements);
  SharedPointer<T> values = shared.take<T>(elements);
  const RowsToLoad<T, Factor> matrices[] = {rows_of_part(input, head, query_part, 0, head.queries, queries),
                                            rows_of_part(input, head, key_part, 0, head.tokens, keys),
                                            rows_of_part(input, head, value_part, 0, head.tokens, values)};
  load_rows(matrices, layout);
  __syncthreads();

  const LaneKey key(head.tokens);
  WarpRowValues<T> weights;
  multiply_rows(queries, head.queries, keys, key, layout, weights);
  if constexpr (relative) add_relative_bias(input, head, 0, head.queries, 0, key, weights);
  leave_out_far_keys(input.attention, head, 0, 0, key, weights);
  softmax_of_tile(weights, head.queries, key, input.scale);
  const TileMask<T> mask = mask_of_short<T>(input.attention, head);
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) weights[group][i] *= mask.factor(group, i);
  }
  // They take the place of the warp's own queries, which no other warp reads.
  __syncwarp();
  store_weights(weights, head.queries, key, queries, layout.stride);
  __syncwarp();
  ColumnsOfRows<T, columns> rows = {};
  multiply_weights<columns>(queries, layout.stride, head.queries, values, head.tokens, layout, rows);
  store_rows<columns>(rows, head.queries, layout, context_of(context, input.attention, head, 0),
                      input.attention.hidden);
}

/// Arrays in shared memory: queries, keys, values and gradient of the context of [input.rows, layout.stride], dropped
/// probabilities and gradient of scores of [input.rows, input.rows].
template <int columns, bool relative, typename T, typename Factor>
__global__ void __launch_bounds__(attention_threads, short_backward_blocks<T>(columns))
    attention_short_backward_kernel(AttentionInput<T, Factor> input, const Factor* grad_context, Factor* grad_qkv,
                                    T* grad_relative_bias) {
  const Attention& attention = input.attention;
  const HeadOfSentence head = head_of_block(input);
  if (!head.is_short || head.queries == 0) return;
  const HeadLayout& layout = input.layout;
  const auto elements = elements_of_rows(input);
  const auto scores = elements_of_scores(input);
  SharedArrays shared;
  SharedPointer<T> queries = shared.take<T>(elements);
  SharedPointer<T> keys = shared.take<T>(elements);
  SharedPointer<T> values = shared.take<T>(elements);
  SharedPointer<T> grads = shared.take<T>(elements);
  SharedPointer<T> dropped = shared.take<T>(scores);
  SharedPointer<T> grad_scores = shared.take<T>(scores);
  const RowsToLoad<T, Factor> matrices[] = {rows_of_part(input, head, query_part, 0, head.queries, queries),
                                            rows_of_part(input, head, key_part, 0, head.tokens, keys),
                                            rows_of_part(input, head, value_part, 0, head.tokens, values),
                                            rows_of_grad(input, head, grad_context, 0, head.queries, grads)};
  load_rows(matrices, layout);
  __syncthreads();

  const LaneKey key(head.tokens);
  WarpRowValues<T> weights, grad_weights;
  multiply_rows(queries, head.queries, keys, key, layout, weights);
  if constexpr (relative) add_relative_bias(input, head, 0, head.queries, 0, key, weights);
  leave_out_far_keys(input.attention, head, 0, 0, key, weights);
  softmax_of_tile(weights, head.queries, key, input.scale);
  multiply_rows(grads, head.queries, values, key, layout, grad_weights);
  const TileMask<T> mask = mask_of_short<T>(attention, head);
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    if (first_row_of(group) >= head.queries) continue;
    T projections[4];
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      grad_weights[group][i] *= mask.factor(group, i);
      projections[i] = grad_weights[group][i] * weights[group][i];
    }
    warp_sums(projections);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      grad_weights[group][i] = weights[group][i] * (grad_weights[group][i] - projections[i]) * input.scale;
      weights[group][i] *= mask.factor(group, i);
    }
  }
  store_weights(weights, head.queries, key, dropped, input.rows);
  store_weights(grad_weights, head.queries, key, grad_scores, input.rows);
  __syncthreads();

  const std::int64_t stride = 3 * attention.hidden;
  const auto place = [&](QkvPart part) { return part_of(grad_qkv, attention, head, part, 0); };
  {
    ColumnsOfRows<T, columns> rows = {};
    multiply_weights<columns>(grad_scores, input.rows, head.queries, keys, head.tokens, layout, rows);
    store_rows<columns>(rows, head.queries, layout, place(query_part), stride);
    clear_rows(head.queries, head.tokens, layout, place(query_part), stride);
  }
  {
    ColumnsOfRows<T, columns> rows = {};
    multiply_transposed<columns>(grad_scores, input.rows, head.queries, queries, head.tokens, layout, rows);
    store_rows<columns>(rows, head.tokens, layout, place(key_part), stride);
  }
  {
    ColumnsOfRows<T, columns> rows = {};
    multiply_transposed<columns>(dropped, input.rows, head.queries, grads, head.tokens, layout, rows);
    store_rows<columns>(rows, head.tokens, layout, place(value_part), stride);
  }
  if constexpr (relative) {
    BucketSum<T> buckets;
    buckets.add(grad_scores, input.rows, 0, head.queries, 0, head.tokens);
    __syncthreads();  // all have read the keys
    const T sum = buckets.of_block(keys);
    const std::int64_t row = head.sentence * relative_position_buckets + this_lane();
    if (threadIdx.x < warp_size) grad_relative_bias[row * attention.heads + head.head] += sum / input.scale;
  }
}

}  // namespace gausscse::kernels::cuda
