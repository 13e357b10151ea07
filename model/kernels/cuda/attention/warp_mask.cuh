#pragma once

#include "model/kernels/cuda/attention/warp_products.cuh"

namespace gausscse::kernels::cuda {

// Dropout of a warp's probabilities. A lane has half of the keys of one of the warp's 16 queries, see warp_scores.cuh.
// It knows in one word which of them are kept: bit 8 * t + i is number i of its keys of tile t. A row of the mask is a
// head; its elements come in pieces of 16, as the keys do, and four pieces take the words of the same 16 counters, see
// dropout_mask.hpp:
//
//     query q, tile t of keys: piece q * tiles + t, which has word `piece % 4` of counters 16 * (piece / 4) + key % 16

__device__ inline int query_of_lane() {
  return this_lane() % tile_rows;
}

/// Draws the masks of a tile of queries of a short sentence, whose pieces are few: one lane after the other draws each
/// piece's sixteen counters, and all vote on the words. A vote has 16 keys of one query and 16 keys of another.
template <typename Shape>
__device__ unsigned kept_of_short(const Attention& attention, const WarpTile& tile,
                                  SharedPointer<std::uint32_t> votes) {
  const DropoutSite& site = attention.dropout;
  if (site.threshold == 0) return all_lanes;
  const auto row = static_cast<std::uint32_t>(tile.head.head);
  const int tiles = tile.head.padded / tile_rows, queries = tile.rows_of(tile.head.queries);
  static_assert(dropout_counters == tile_rows && dropout_group == 4 * tile_rows);
  // Eight pieces of 16 keys at a time: two counters' words.
  for (int piece = 0; piece < queries * tiles; piece += 8) {
    const int counter = 4 * (tile.first * tiles + piece) + this_lane();
    const PhiloxCounter words = dropout_words(site, tile.sample, row, static_cast<std::uint32_t>(counter));
    std::uint32_t vote = 0;
    GAUSSCSE_UNROLL
    for (int word = 0; word < 4; ++word) {
      const std::uint32_t all = __ballot_sync(all_lanes, words[static_cast<unsigned>(word)] >= site.threshold);
      vote = this_lane() == word ? all : vote;
    }
    if (this_lane() < 4) votes[piece / 2 + this_lane()] = vote;
  }
  __syncwarp();
  unsigned kept = 0;
  GAUSSCSE_UNROLL
  for (int t = 0; t < Shape::tiles; ++t) {
    if (query_of_lane() >= queries || t >= tiles) continue;
    const int piece = query_of_lane() * tiles + t;
    const std::uint32_t vote = votes[piece / 8 * 4 + piece % 4];
    kept |= (vote >> (piece / 4 % 2 * 16 + this_lane() / tile_rows * 8) & 0xFFu) << 8 * t;
  }
  return kept;
}

/// Draws the mask of a lane's query of a long sentence, for four tiles of keys after the other. A lane runs the
/// counters of its own keys. Where its first piece is not the first of its counters, four tiles have words of two
/// groups of counters, the second of which is kept for the next four tiles:
///
///     pieces:    0  1  2  3 | 4  5  6  7 | 8 ...        four pieces have the words of 16 counters
///     tiles:           0  1   2  3 | 4  5   6  7 | ...
class KeptOfLong {
 public:
  __device__ KeptOfLong(const Attention& attention, const WarpTile& tile)
      : site_(attention.dropout), sample_(tile.sample), row_(static_cast<std::uint32_t>(tile.head.head)) {
    if (site_.threshold == 0) return;
    const int tiles = tile.head.padded / tile_rows, piece = (tile.first + query_of_lane()) * tiles;
    group_ = (piece + 3) / 4;
    shift_ = piece % 4 == 0 ? 32 : 8 * (piece % 4);
    if (tiles % 4 != 0) drawn_ = drawn(piece / 4);
  }

  /// Returns the mask of the next four tiles of keys.
  __device__ unsigned next() {
    if (site_.threshold == 0) return all_lanes;
    const std::uint64_t before = drawn_;
    drawn_ = drawn(group_++);
    return static_cast<unsigned>((std::uint64_t{drawn_} << 32 | before) >> shift_);
  }

 private:
  /// Returns the bits of this lane's keys of the four pieces of a group.
  __device__ unsigned drawn(int group) const {
    const auto first = static_cast<std::uint32_t>(tile_rows * group + this_lane() / tile_rows * 8);
    unsigned kept = 0;
    GAUSSCSE_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const PhiloxCounter words = dropout_words(site_, sample_, row_, first + i);
      GAUSSCSE_UNROLL
      for (unsigned word = 0; word < 4; ++word) kept |= words[word] >= site_.threshold ? 1u << (8 * word + i) : 0u;
    }
    return kept;
  }

  const DropoutSite& site_;
  std::uint32_t sample_, row_;
  int group_ = 0, shift_ = 0;
  unsigned drawn_ = 0;
};

}  // namespace gausscse::kernels::cuda
