#pragma once

#include "model/kernels/cuda/attention/warp_mask.cuh"
#include "model/kernels/cuda/device_math.cuh"

namespace gausscse::kernels::cuda {

// Scores of a tile of 16 queries. A lane has half of the keys of one query: eight of each tile.
//
//     lane q       (query q):    keys 0 to 7,  16 to 23, ...
//     lane q + 16  (query q):    keys 8 to 15, 24 to 31, ...

/// Numbers of a lane's query and keys.
template <typename Shape>
using WarpKeyValues = float[Shape::tiles_at_once][8];

/// Returns the place of key `key` of a tile's eight.
__device__ inline int key_of_lane(int tile, int key) {
  return tile_rows * tile + 8 * (this_lane() / tile_rows) + key;
}

/// Calls function(value, tile, i) for each of a lane's numbers.
template <typename Shape, typename Function>
__device__ void for_each_key(WarpKeyValues<Shape>& values, const Function& function) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles_at_once; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) function(values[tile][i], tile, i);
  }
}

/// Computes this lane's products of a tile of rows `left` with the rows `right` of its keys.
template <typename Shape>
__device__ void multiply_for_keys(SharedPointer<Bfloat16> left, SharedPointer<Bfloat16> right,
                                  const WarpScores<Shape>& scores, WarpKeyValues<Shape>& values) {
  // All lanes have read the earlier values.
  __syncwarp();
  multiply_warp_rows<Shape>(left, right, scores.sums);
  __syncwarp();
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles_at_once; ++tile) {
    GAUSSCSE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Vec4<float> four =
          four_at(scores.sums, query_of_lane() * Shape::score_stride + key_of_lane(tile, 4 * half));
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) values[tile][4 * half + i] = four.at[i];
    }
  }
}

/// Writes this lane's numbers of a tile of queries, rounded for bfloat16.
template <typename Shape>
__device__ void store_key_values(const WarpKeyValues<Shape>& values, SharedPointer<Bfloat16> to) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles_at_once; ++tile) {
    Vec8<Bfloat16> eight;
    store_values(values[tile], eight);
    store_eight(eight, to, query_of_lane() * Shape::weight_stride + key_of_lane(tile, 0));
  }
}

template <typename Shape>
__device__ void scale_of_keys(float scale, WarpKeyValues<Shape>& values) {
  for_each_key<Shape>(values, [&](float& value, int, int) { value *= scale; });
}

/// Makes this lane's numbers of keys that are dropped zero.
template <typename Shape>
__device__ void drop(unsigned kept, WarpKeyValues<Shape>& values) {
  for_each_key<Shape>(
      values, [&](float& value, int tile, int i) { value = (kept >> (8 * tile + i) & 1u) != 0 ? value : 0.0f; });
}

/// Returns the sum over all keys of a query, in both of its lanes.
__device__ inline float sum_of_lanes(float of_lane) {
  return of_lane + __shfl_xor_sync(all_lanes, of_lane, 16);
}
template <typename Shape>
__device__ float sum_of_keys(WarpKeyValues<Shape>& values) {
  float sum = 0;
  for_each_key<Shape>(values, [&](float value, int, int) { sum += value; });
  return sum;
}

/// Returns the factor that makes products the logarithms of weights to the base of 2.
__device__ inline float scale_of_powers(const AttentionInput<float, Bfloat16>& input) {
  return input.scale * 1.44269504f;
}

/// Gives numbers of this lane's keys from `tokens` on the value `left_out`; keys are counted from the first tile's.
template <typename Shape>
__device__ void leave_out_keys(int tokens, float left_out, WarpKeyValues<Shape>& values) {
  for_each_key<Shape>(values,
                      [&](float& value, int tile, int i) { value = key_of_lane(tile, i) < tokens ? value : left_out; });
}

/// Gives the scores of keys that are farther than Attention::farthest from the lane's query the value far_score; keys
/// are from `first_key` on.
template <typename Shape>
__device__ void leave_out_far_keys(const Attention& attention, const WarpTile& tile, int first_key,
                                   WarpKeyValues<Shape>& scores) {
  if (tile.head.tokens <= attention.farthest) return;
  const int query = tile.first + query_of_lane() - first_key;
  for_each_key<Shape>(scores, [&](float& score, int of_tile, int i) {
    const int distance = query - key_of_lane(of_tile, i);
    score = (distance < 0 ? -distance : distance) > attention.farthest ? far_score : score;
  });
}

/// The softmax of a query over the keys seen so far. Weights are powers of 2, relative to `reference`: near the largest
/// score, with scale_of_powers. As bfloat16 has the exponents of float32, a reference that is far below costs no
/// accuracy, and so it changes only where weights might become too large.
struct WarpSoftmax {
  float reference = 0;
  float sum = 0;  ///< sum of the weights of this lane's keys

  /// Turns products with more keys into weights. Returns the factor for earlier sums of weights.
  template <typename Shape>
  __device__ float add(float scale, bool is_first, WarpKeyValues<Shape>& values) {
    constexpr float most_growth = 32;
    float largest = -INFINITY, correction = 1;
    for_each_key<Shape>(values, [&](float value, int, int) { largest = DeviceMath::larger(value, largest); });
    largest = scale * DeviceMath::larger(largest, __shfl_xor_sync(all_lanes, largest, 16));
    if (is_first) {
      reference = largest;
    } else if (largest > reference + most_growth) {
      correction = DeviceMath::exp2(reference - largest);
      reference = largest;
    }
    for_each_key<Shape>(values, [&](float& value, int, int) { value = DeviceMath::exp2(value * scale - reference); });
    sum = sum * correction + sum_of_keys<Shape>(values);
    return correction;
  }

  /// Returns the factor that makes weights probabilities.
  __device__ float inverse() const { return DeviceMath::reciprocal(sum_of_lanes(sum)); }
};

}  // namespace gausscse::kernels::cuda
