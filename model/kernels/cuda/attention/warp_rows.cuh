#pragma once

#include "model/kernels/cuda/attention/head.cuh"
#include "model/kernels/cuda/eights.cuh"
#include "model/kernels/cuda/tensor_cores.cuh"

namespace gausscse::kernels::cuda {

// Attention in bfloat16 by tensor cores. A warp has a tile of 16 tokens of one head of one sentence, and a block has
// four warps. Of sentences of up to 64 tokens these are four heads of one tile, two of two tiles, or one of three or
// four. So all blocks need about the same shared memory. Of longer sentences a block has 64 tokens, and goes over the
// sentence's 64 tokens at a time. Shared memory has their rows as bfloat16:
//
//     rows of a head: [64, row_stride]                scores of a warp: [16, score_stride], float32
//          column: 0 ... width - 1 | 8 more                key: 0 ... 16 * tiles - 1 | 4 more
//     warp 0, token 0      |          |               query 0   |                    |
//     ...                                             ...
//     warp 1, token 0
//
// The padding behind the columns keeps accesses to eight rows at a time in different banks.

/// Sizes of the arrays of a block, for heads of `width_` columns and up to `tiles_` tiles of tokens. A warp has
/// `tiles_at_once_` of these tiles of keys in its registers at a time.
template <int width_, int tiles_, int tiles_at_once_ = tiles_>
struct WarpShape {
  static constexpr int width = width_, tiles = tiles_, tiles_at_once = tiles_at_once_;
  static constexpr int heads = attention_warps / tiles;  ///< heads of a block
  static constexpr int rows = tile_rows * attention_warps;
  static constexpr int steps = width / tile_rows;  ///< tiles of a row of a head
  static constexpr int row_stride = width + 8;
  static constexpr int weight_stride = tile_rows * tiles + 8;
  static constexpr int score_stride = tile_rows * (tiles > steps ? tiles : steps) + 4;  ///< room for a head's rows
  static constexpr int eights = width / 8;                                              ///< eights in a row of a head
  static constexpr int rows_at_once = lanes_of_warp / eights;  ///< rows that a warp reads at once
  static constexpr int reads = tile_rows / rows_at_once;       ///< reads of a lane for a tile
  static constexpr int keys = tile_rows * tiles;
  static constexpr int keys_at_once = tile_rows * tiles_at_once;
  static constexpr int votes = 8 * tiles;           ///< words of a warp's votes for masks
  static constexpr int offsets = keys + tile_rows;  ///< one more than there are from a warp's queries to keys

  static constexpr std::size_t bytes_of_rows = shared_bytes_of<Bfloat16>(rows * row_stride),
                               bytes_of_weights = shared_bytes_of<Bfloat16>(rows * weight_stride),
                               bytes_of_scores = shared_bytes_of<float>(rows * score_stride) +
                                                 shared_bytes_of<std::uint32_t>(attention_warps * votes) +
                                                 shared_bytes_of<float>(attention_warps * offsets),
                               forward_bytes = 3 * bytes_of_rows + bytes_of_weights + bytes_of_scores,
                               backward_bytes = 4 * bytes_of_rows + 2 * bytes_of_weights + bytes_of_scores +
                                                shared_bytes_of<float>(attention_threads);
};

/// Arrays for a warp's scores.
template <typename Shape>
struct WarpScores {
  SharedPointer<float> sums;           ///< [16, score_stride], sums of products
  SharedPointer<std::uint32_t> votes;  ///< see kept_of_short
  SharedPointer<float> offsets;        ///< numbers by the offset of a key from a query

  __device__ WarpScores(SharedArrays& shared, int warp)
      : sums(shared.take<float>(Shape::rows * Shape::score_stride) + warp * tile_rows * Shape::score_stride),
        votes(shared.take<std::uint32_t>(attention_warps * Shape::votes) + warp * Shape::votes),
        offsets(shared.take<float>(attention_warps * Shape::offsets) + warp * Shape::offsets) {}
};

/// Returns the pointer to global memory, so that the compiler adds up its address once and not for each of its rows.
template <typename T>
__device__ T* with_own_address(T* pointer) {
#ifdef __CUDACC__
  asm volatile("" : "+l"(pointer));
  __builtin_assume(__isGlobal(pointer));
#endif
  return pointer;
}

/// A warp's tile of a head of a sentence.
struct WarpTile {
  HeadOfSentence head;  ///< without tokens where the warp has none
  int first;            ///< the tile's first token
  int row;              ///< the place of that in the block's arrays, and of the head's first token
  int row_of_head;
  std::uint32_t sample;  ///< the sentence's number in the global batch; 0 where nothing is dropped

  /// Returns the number of the sentence's `tokens` tokens that are in the tile; none where negative.
  __device__ int rows_of(int tokens) const { return tokens - first < tile_rows ? tokens - first : tile_rows; }
  __device__ int first_of_block() const { return first - row + row_of_head; }
  /// Returns this warp's tile of the block's tokens from `token` on.
  __device__ WarpTile from(int token) const {
    WarpTile moved = *this;
    moved.first = token + row - row_of_head;
    return moved;
  }
};

__device__ inline int this_warp() {
  return static_cast<int>(threadIdx.x / warp_size);
}

/// Returns a sentence's number in the global batch, or 0 where nothing is dropped.
__device__ inline std::uint32_t sample_of(const Attention& attention, const HeadOfSentence& head) {
  return attention.dropout.threshold != 0 ? attention.shape.samples[head.sentence] : 0;
}

/// Returns this warp's tile in block `block` of those for heads of `sentences`, `pairs` in all.
template <typename Shape>
__device__ WarpTile tile_of_warp(const AttentionInput<float, Bfloat16>& input, const std::int32_t* sentences,
                                 unsigned pairs, unsigned block) {
  const int warp = this_warp(), group = warp / Shape::tiles;
  const unsigned pair = block * Shape::heads + static_cast<unsigned>(group);
  WarpTile tile{};
  if (group < Shape::heads && pair < pairs) {
    tile.head = head_of_pair(input, sentences, pair);
    tile.sample = sample_of(input.attention, tile.head);
  }
  if (tile.head.length > Shape::tiles * tile_rows) tile.head.length = tile.head.queries = 0;
  tile.row = tile_rows * warp;
  tile.row_of_head = tile_rows * Shape::tiles * group;
  tile.first = tile.row - tile.row_of_head;
  return tile;
}

/// Returns this warp's tile of tile blockIdx.y of 64 tokens of head blockIdx.x of all sentences; without tokens where
/// the sentence is short.
__device__ inline WarpTile tile_of_long_sentence(const AttentionInput<float, Bfloat16>& input) {
  WarpTile tile{head_of_block(input), 0, tile_rows * this_warp(), 0, 0};
  if (tile.head.is_short) tile.head.length = tile.head.tokens = tile.head.queries = 0;
  tile.sample = sample_of(input.attention, tile.head);
  return tile.from(tile_rows * attention_warps * static_cast<int>(blockIdx.y));
}

/// to[r] = from[r] + bias for a warp's rows r below `rows`, then zeros; `bias` may be null.
struct WarpRows {
  const Bfloat16* from;
  int stride;
  const float* bias;
  int rows;
  SharedPointer<Bfloat16> to;
};

/// Returns the first of the eight columns that this lane reads and writes.
template <typename Shape>
__device__ int eight_of_lane() {
  return 8 * (this_lane() % Shape::eights);
}

/// Loads a tile of each matrix by 16 bytes. All reads are under way before the first is used.
template <typename Shape, int count>
__device__ void load_warp_rows(const WarpRows (&matrices)[count]) {
  const int eight = eight_of_lane<Shape>(), first = this_lane() / Shape::eights;
  Vec8<Bfloat16> values[count][Shape::reads];
  GAUSSCSE_UNROLL
  for (int m = 0; m < count; ++m) {
    const Bfloat16* const from = with_own_address(matrices[m].from + eight);
    GAUSSCSE_UNROLL
    for (int k = 0; k < Shape::reads; ++k) {
      const int row = Shape::rows_at_once * k + first;
      values[m][k] = Vec8<Bfloat16>{};
      if (row < matrices[m].rows) values[m][k] = read_eight(from + row * matrices[m].stride);
    }
  }
  GAUSSCSE_UNROLL
  for (int m = 0; m < count; ++m) {
    const Vec8<float> bias = matrices[m].bias ? read_eight(matrices[m].bias + eight) : Vec8<float>{};
    GAUSSCSE_UNROLL
    for (int k = 0; k < Shape::reads; ++k) {
      const int row = Shape::rows_at_once * k + first;
      if (matrices[m].bias && row < matrices[m].rows) {
        float sums[8];
        GAUSSCSE_UNROLL
        for (int i = 0; i < 8; ++i) sums[i] = value_at(values[m][k], i) + value_at(bias, i);
        store_values(sums, values[m][k]);
      }
      store_eight(values[m][k], matrices[m].to, row * Shape::row_stride + eight);
    }
  }
}

/// Returns the bias of a head's queries, keys or values.
__device__ inline const float* bias_of_part(const AttentionInput<float, Bfloat16>& input, const HeadOfSentence& head,
                                            QkvPart part) {
  return input.bias + part * input.attention.hidden + head.column;
}

/// Returns a tile of queries with their bias, or of keys or values without, so that these are not rounded again:
///
/// - a bias of keys adds the same to all scores of a query, which changes no probability, and the gradient of queries
///   is without it, as the gradients of a query's scores add up to 0;
/// - a bias of values adds itself, times the sum of the query's dropped probabilities, to the context.
__device__ inline WarpRows warp_rows_of_part(const AttentionInput<float, Bfloat16>& input, const WarpTile& tile,
                                             QkvPart part, int tokens, SharedPointer<Bfloat16> to) {
  return {part_of(input.qkv, input.attention, tile.head, part, tile.first),
          3 * static_cast<int>(input.attention.hidden),
          part == query_part ? bias_of_part(input, tile.head, part) : nullptr, tile.rows_of(tokens), to};
}

/// Writes rows below `rows` of a tile of sums, which the warp stored with the stride of scores. Before that it calls
/// finish(row, values) with eight of a row's values; all lanes call it together.
template <typename Shape, typename Finish>
__device__ void write_warp_rows(SharedPointer<float> sums, int rows, Bfloat16* to, int to_stride,
                                const Finish& finish) {
  const int eight = eight_of_lane<Shape>(), first = this_lane() / Shape::eights;
  Bfloat16* const begin = with_own_address(to + eight);
  GAUSSCSE_UNROLL
  for (int k = 0; k < Shape::reads; ++k) {
    const int row = Shape::rows_at_once * k + first;
    const Vec4<float> low = four_at(sums, row * Shape::score_stride + eight),
                      high = four_at(sums, row * Shape::score_stride + eight + 4);
    float values[8] = {low.at[0], low.at[1], low.at[2], low.at[3], high.at[0], high.at[1], high.at[2], high.at[3]};
    finish(row, values);
    if (row < rows) write_values(values, begin + row * to_stride);
  }
}

/// Writes zeros to rows `first` to `end` - 1.
template <typename Shape>
__device__ void clear_warp_rows(int first, int end, Bfloat16* to, int to_stride) {
  for (int row = first + this_lane() / Shape::eights; row < end; row += Shape::rows_at_once)
    write_eight(Vec8<Bfloat16>{}, to + row * to_stride + eight_of_lane<Shape>());
}

}  // namespace gausscse::kernels::cuda
