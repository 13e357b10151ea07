#pragma once

#include "model/kernels/cuda/attention/warp_scores.cuh"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::cuda {

// Biases of attention by relative position, for a warp's 16 queries and some tiles of keys. Both depend on the offset
// of a key from a query alone, so a warp looks at a diagonal of its scores at once:
//
//              key: 0  1  2  3 ...          diagonal d has keys with offset first_offset + d
//     query 0       15 16 17 18
//     query 1       14 15 16 17
//     ...                                   diagonal 15 begins with query 0 and key 0

/// Returns the offset of diagonal 0, for a tile of queries and keys from `first_key` on.
__device__ inline int first_offset(const WarpTile& tile, int first_key) {
  return first_key - tile.first - (tile_rows - 1);
}

/// Adds the biases to products that are still to be multiplied by the input's scale.
template <typename Shape>
__device__ void add_warp_relative_bias(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile,
                                       int first_key, const WarpScores<Shape>& scores, WarpKeyValues<Shape>& values) {
  const float unscaled = 1.0f / input.scale;
  for (int diagonal = this_lane(); diagonal < Shape::offsets; diagonal += lanes_of_warp) {
    const int bucket = relative_position_bucket(first_offset(tile, first_key) + diagonal);
    scores.offsets[diagonal] = input.relative_bias[bucket * input.attention.heads + tile.head.head] * unscaled;
  }
  __syncwarp();
  for_each_key<Shape>(values, [&](float& value, int t, int i) {
    value += scores.offsets[key_of_lane(t, i) - query_of_lane() + tile_rows - 1];
  });
}

/// Returns the sum of the gradient of scores over this lane's bucket, for queries and keys of the sentence. Products in
/// `scores` are overwritten.
template <typename Shape>
__device__ float warp_bucket_sum(const WarpTile& tile, int first_key, const WarpKeyValues<Shape>& grads,
                                 const WarpScores<Shape>& scores) {
  static_assert(relative_position_buckets == lanes_of_warp);
  __syncwarp();
  GAUSSCSE_UNROLL
  for (int t = 0; t < Shape::tiles_at_once; ++t) {
    GAUSSCSE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float* const own = grads[t] + 4 * half;
      store_four(Vec4<float>{{own[0], own[1], own[2], own[3]}}, scores.sums,
               query_of_lane() * Shape::score_stride + key_of_lane(t, 4 * half));
    }
  }
  __syncwarp();
  const int queries = tile.rows_of(tile.head.queries);
  const int keys =
      tile.head.tokens - first_key < Shape::keys_at_once ? tile.head.tokens - first_key : Shape::keys_at_once;
  for (int diagonal = this_lane(); diagonal < Shape::offsets; diagonal += lanes_of_warp) {
    float sum = 0;
    for (int query = 0; query < queries; ++query) {
      const int key = query + diagonal - (tile_rows - 1);
      if (key >= 0 && key < keys) sum += scores.sums[query * Shape::score_stride + key];
    }
    scores.offsets[diagonal] = sum;
  }
  __syncwarp();
  const int begin = first_offset(tile, first_key);
  const OffsetRange range = offsets_of_bucket(this_lane(), tile.first + first_key + 2 * Shape::offsets);
  const int first = range.least - begin > 0 ? range.least - begin : 0;
  const int last = range.most - begin < Shape::offsets - 1 ? range.most - begin : Shape::offsets - 1;
  float sum = 0;
  for (int diagonal = first; diagonal <= last; ++diagonal) sum += scores.offsets[diagonal];
  return sum;
}

}  // namespace gausscse::kernels::cuda
