#pragma once

#include "model/kernels/cuda/attention/head.cuh"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::cuda {

// Biases of attention by relative position. Kernels have them as a template's parameter, so that those without are as
// if there were none.

/// Adds the biases to the scores of the tile that begins with these of a head's queries and keys, which are still to be
/// multiplied by the input's scale.
template <typename T, typename Factor>
__device__ void add_relative_bias(const AttentionInput<T, Factor>& input, const HeadOfSentence& head, int first_query,
                                  int query_rows, int first_key, const LaneKey& key, WarpRowValues<T>& scores) {
  const T* const of_head = input.relative_bias + head.head;
  const T unscaled = T{1} / input.scale;
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    if (first_row_of(group) >= query_rows) continue;
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int offset = first_key + key.nearest - (first_query + first_row_of(group) + i);
      scores[group][i] += of_head[relative_position_bucket(offset) * input.attention.heads] * unscaled;
    }
  }
}

/// Adds up the gradient of scores by buckets. A lane represents a bucket, and adds up its part of the rows that its
/// warp wrote.
template <typename T>
struct BucketSum {
  T sum = 0;

  /// Adds the gradients of a tile, whose rows are `stride` apart; of queries from `first_query` and keys from
  /// `first_key` on.
  __device__ void add(SharedPointer<T> grad_scores, int stride, int first_query, int query_rows, int first_key,
                      int key_rows) {
    static_assert(relative_position_buckets == lanes_of_warp);
    const OffsetRange range = offsets_of_bucket(this_lane(), first_query + first_key + 2 * attention_rows);
    for (int group = 0; group < attention_groups; ++group) {
      for (int i = 0; i < 4; ++i) {
        const int row = first_row_of(group) + i;
        if (row >= query_rows) continue;
        const int shift = first_query + row - first_key;  // of the key that stands where the query does
        const int first = shift + range.least > 0 ? shift + range.least : 0;
        const int end = shift + range.most < key_rows ? shift + range.most + 1 : key_rows;
        for (int k = first; k < end; ++k) sum += grad_scores[row * stride + k];
      }
    }
  }

  /// Returns the sum over all warps, in their order, in each warp. All threads call it; `of_warps` has room for a
  /// number of each thread.
  __device__ T of_block(SharedPointer<T> of_warps) const {
    of_warps[threadIdx.x] = sum;
    __syncthreads();
    T total = 0;
    for (int warp = 0; warp < attention_warps; ++warp) total += of_warps[warp * lanes_of_warp + this_lane()];
    return total;
  }
};

/// Adds the sums of several tiles of `rows` queries, [sentences*heads, tiles, buckets], to the gradient
/// [sentences, buckets, heads], in their order. Short sentences have none there. A block for each head of each
/// sentence, a thread for each bucket.
template <typename T, typename Factor>
__global__ void add_bucket_sums_kernel(AttentionInput<T, Factor> input, const T* sums, std::int64_t tiles, int rows,
                                       T* grad) {
  const HeadOfSentence head = head_of_block(input);
  if (head.is_short) return;
  const std::int64_t bucket = threadIdx.x;
  T total = 0;
  for (std::int64_t tile = 0; tile * rows < head.queries; ++tile)
    total += sums[(blockIdx.x * tiles + tile) * relative_position_buckets + bucket];
  grad[(head.sentence * relative_position_buckets + bucket) * input.attention.heads + head.head] += total;
}

}  // namespace gausscse::kernels::cuda
