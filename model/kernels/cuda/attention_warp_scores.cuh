#pragma once

#include "model/kernels/cuda/attention_warp_rows.cuh"
#include "model/kernels/cuda/device_math.cuh"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::cuda {

// Scores of a tile of 16 queries. A lane has half of the keys of one query: eight of each tile.
//
//     lane q       (query q):    keys 0 to 7,  16 to 23, ...
//     lane q + 16  (query q):    keys 8 to 15, 24 to 31, ...

/// Numbers of a lane's query and keys.
template <typename Shape>
using OfKeys = float[Shape::tiles][8];

__device__ inline int query_of_lane() {
  return this_lane() % tile_rows;
}
/// Returns the place of key `key` of a tile's eight.
__device__ inline int key_of_lane(int tile, int key) {
  return tile_rows * tile + 8 * (this_lane() / tile_rows) + key;
}

/// Masks of a tile of queries: a bit for each query and key. A word of 32 bits has the vote of all lanes on one word of
/// their counters, see dropout_mask.hpp: 16 keys of one query, and 16 keys of another.
struct WarpMask {
  int tiles;    ///< pieces of 16 keys in a row of the mask
  int queries;  ///< 0 where nothing is dropped
  float scale;  ///< factor of what is kept

  /// Returns the bits of this lane's eight keys.
  __device__ unsigned kept(SharedPointer<std::uint32_t> votes, int tile) const {
    if (queries == 0) return 0xFFu;
    if (query_of_lane() >= queries || tile >= tiles) return 0;
    const int piece = query_of_lane() * tiles + tile;
    return votes[piece / 8 * 4 + piece % 4] >> (piece / 4 % 2 * 16 + this_lane() / tile_rows * 8) & 0xFFu;
  }
};

/// Draws the masks of a warp's queries.
__device__ inline WarpMask warp_mask(const Attention& attention, const WarpTile& tile,
                                     SharedPointer<std::uint32_t> votes) {
  const DropoutSite& site = attention.dropout;
  const HeadOfSentence& head = tile.head;
  WarpMask mask{head.padded / tile_rows, 0, 1.0f};
  if (site.threshold == 0) return mask;
  const std::uint32_t row = static_cast<std::uint32_t>(head.head);
  mask.queries = tile.rows_of(head.queries);
  mask.scale = static_cast<float>(site.scale);
  static_assert(dropout_counters == tile_rows && dropout_group == 4 * tile_rows);
  // Eight pieces of 16 keys at a time: two counters' words.
  for (int piece = 0; piece < mask.queries * mask.tiles; piece += 8) {
    const int counter = 4 * (tile.first * mask.tiles + piece) + this_lane();
    const PhiloxCounter words = dropout_words(site, tile.sample, row, static_cast<std::uint32_t>(counter));
    std::uint32_t vote = 0;
    GAUSSCSE_UNROLL
    for (int word = 0; word < 4; ++word) {
      const std::uint32_t all = __ballot_sync(all_lanes, words[static_cast<unsigned>(word)] >= site.threshold);
      vote = this_lane() == word ? all : vote;
    }
    if (this_lane() < 4) votes[piece / 2 + this_lane()] = vote;
  }
  return mask;
}

/// Reads this lane's numbers of a tile of queries.
template <typename Shape>
__device__ void read_of_keys(SharedPointer<float> from, OfKeys<Shape>& values) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Four<float> four = four_at(from, query_of_lane() * Shape::score_stride + key_of_lane(tile, 4 * half));
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) values[tile][4 * half + i] = four.at[i];
    }
  }
}

/// Writes this lane's numbers of a tile of queries, rounded for bfloat16.
template <typename Shape>
__device__ void put_of_keys(const OfKeys<Shape>& values, SharedPointer<Bfloat16> to) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    Eight<Bfloat16> eight;
    put_values(values[tile], eight);
    put_eight(eight, to, query_of_lane() * Shape::weight_stride + key_of_lane(tile, 0));
  }
}

template <typename Shape>
__device__ void put_of_keys(const OfKeys<Shape>& values, SharedPointer<float> to) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float* const own = values[tile] + 4 * half;
      put_four(Four<float>{{own[0], own[1], own[2], own[3]}}, to,
               query_of_lane() * Shape::score_stride + key_of_lane(tile, 4 * half));
    }
  }
}

template <typename Shape>
__device__ void scale_of_keys(float scale, OfKeys<Shape>& values) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) values[tile][i] *= scale;
  }
}

/// Turns the products of a warp's queries with keys into exponentials, of which the largest of a query is 1; those of
/// keys that are not attended to are zero. Returns the inverse of the query's sum, by which they are probabilities.
template <typename Shape, bool relative>
__device__ float warp_softmax(const AttentionInput<float, Bfloat16>& input, const WarpTile& warp,
                              OfKeys<Shape>& values) {
  constexpr float log2_e = 1.44269504f;
  const float scale = input.scale * log2_e, unscaled = 1.0f / input.scale;
  float largest = -INFINITY, sum = 0;
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) {
      const int key = key_of_lane(tile, i);
      float& value = values[tile][i];
      if constexpr (relative) {
        const int bucket = relative_position_bucket(key - warp.first - query_of_lane());
        value += input.relative_bias[bucket * input.attention.heads + warp.head.head] * unscaled;
      }
      value = key < warp.head.tokens ? value : -INFINITY;
      largest = value > largest ? value : largest;
    }
  }
  const float others = __shfl_xor_sync(all_lanes, largest, 16);
  largest = others > largest ? others : largest;
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) {
      values[tile][i] = DeviceMath::exp2(values[tile][i] * scale - largest * scale);
      sum += values[tile][i];
    }
  }
  return DeviceMath::reciprocal(sum + __shfl_xor_sync(all_lanes, sum, 16));
}

/// Multiplies this lane's numbers by the mask and by `scale`.
template <typename Shape>
__device__ void drop(const WarpMask& mask, SharedPointer<std::uint32_t> votes, float scale, OfKeys<Shape>& values) {
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    const unsigned kept = mask.kept(votes, tile);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) values[tile][i] = (kept >> i & 1u) != 0 ? values[tile][i] * scale : 0.0f;
  }
}

/// Returns the sum over all keys of a query, in both of its lanes.
template <typename Shape>
__device__ float sum_of_keys(const OfKeys<Shape>& values) {
  float sum = 0;
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles; ++tile) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) sum += values[tile][i];
  }
  return sum + __shfl_xor_sync(all_lanes, sum, 16);
}

}  // namespace gausscse::kernels::cuda
