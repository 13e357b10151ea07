#pragma once

#include <algorithm>

#include "model/kernels/cuda/attention/tile.cuh"
#include "model/kernels/dropout_mask.hpp"

namespace gausscse::kernels::cuda {

/// Arguments of the kernels of attention.
template <typename T, typename Factor>
struct AttentionInput {
  Attention attention;
  const Factor* qkv;
  const T* bias;
  HeadLayout layout;
  int rows;                ///< rows of tiles in shared memory, a multiple of four
  T scale;                 ///< factor of scores
  const T* relative_bias;  ///< [buckets, heads]; looked at by kernels of `relative` alone
  int short_tokens;        ///< tokens of the longest sentences that kernels of short ones compute
};

/// Returns the tokens of the longest sentence that is long, 0 where none is, or of its queries.
template <typename T, typename Factor>
std::int64_t longest_keys(const AttentionInput<T, Factor>& input) {
  const std::int64_t longest = input.attention.shape.longest;
  return longest > input.short_tokens ? longest : 0;
}
template <typename T, typename Factor>
std::int64_t longest_queries(const AttentionInput<T, Factor>& input) {
  return input.attention.first_token_only ? std::min<std::int64_t>(longest_keys(input), 1) : longest_keys(input);
}

/// Returns the rows of the context.
inline std::int64_t context_rows(const Attention& attention) {
  return attention.first_token_only ? attention.shape.sentences : attention.shape.tokens;
}

/// Elements of a tile of rows in shared memory, and of a tile of scores.
template <typename T, typename Factor>
__device__ std::size_t elements_of_rows(const AttentionInput<T, Factor>& input) {
  return static_cast<std::size_t>(input.rows) * static_cast<std::size_t>(input.layout.stride);
}
template <typename T, typename Factor>
__device__ std::size_t elements_of_scores(const AttentionInput<T, Factor>& input) {
  return static_cast<std::size_t>(input.rows) * static_cast<std::size_t>(input.rows);
}

/// One head of one sentence.
struct HeadOfSentence {
  std::int64_t sentence, head;
  std::int64_t column;       ///< the head's first, in rows of `hidden` columns
  std::int64_t first_token;  ///< row of qkv
  std::int64_t first_query;  ///< row of the context
  int length, tokens;        ///< tokens, and those that are attended to
  int queries;
  int padded;  ///< tokens of a row of the dropout mask
  bool is_short;
};

/// Returns head number `pair` of `sentences`, or of all sentences where null: heads of a sentence follow each other, as
/// they lie in memory.
template <typename T, typename Factor>
__device__ HeadOfSentence head_of_pair(const AttentionInput<T, Factor>& input, const std::int32_t* sentences,
                                       unsigned pair) {
  const Attention& attention = input.attention;
  const auto heads = static_cast<unsigned>(attention.heads);
  const unsigned number = pair / heads;
  const std::int64_t sentence = sentences ? sentences[number] : static_cast<std::int64_t>(number);
  const PackedShape& shape = attention.shape;
  HeadOfSentence head;
  head.sentence = sentence;
  head.head = pair - number * heads;
  head.column = head.head * input.layout.width;
  head.first_token = shape.offsets[sentence];
  head.first_query = attention.first_token_only ? head.sentence : head.first_token;
  // All reads are under way before the first is used.
  const std::int32_t end = shape.offsets[sentence + 1];
  const int attended = shape.attended ? shape.attended[sentence] : 0x7FFFFFFF;
  head.length = static_cast<int>(end - head.first_token);
  head.tokens = attended < head.length ? attended : head.length;
  head.queries = head.length == 0 ? 0 : attention.first_token_only ? 1 : head.length;
  head.padded = static_cast<int>(attention_mask_width(head.tokens));
  head.is_short = head.length <= input.short_tokens;
  return head;
}

template <typename T, typename Factor>
__device__ HeadOfSentence head_of_block(const AttentionInput<T, Factor>& input) {
  return head_of_pair(input, nullptr, blockIdx.x);
}

enum QkvPart : int { query_part, key_part, value_part };

/// Returns the begin of the head's rows of queries, keys or values in a matrix like qkv, from token `first` of its
/// sentence on.
template <typename Element>
__device__ Element* part_of(Element* matrix, const Attention& attention, const HeadOfSentence& head, QkvPart part,
                            int first) {
  return matrix + (head.first_token + first) * 3 * attention.hidden + part * attention.hidden + head.column;
}

/// Queries, keys or values of tokens `first` to first + rows - 1, with their bias.
template <typename T, typename Factor>
__device__ RowsToLoad<T, Factor> rows_of_part(const AttentionInput<T, Factor>& input, const HeadOfSentence& head,
                                              QkvPart part, int first, int rows, SharedPointer<T> to) {
  const Attention& attention = input.attention;
  return {part_of(input.qkv, attention, head, part, first), 3 * attention.hidden,
          input.bias + part * attention.hidden + head.column, rows, to};
}

/// Returns the begin of the head's rows in a matrix like the context, from query `first` on.
template <typename Element>
__device__ Element* context_of(Element* matrix, const Attention& attention, const HeadOfSentence& head, int first) {
  return matrix + (head.first_query + first) * attention.hidden + head.column;
}

/// Returns the index of query `query` of a head in [queries, heads].
__device__ inline std::int64_t place_of_query(const Attention& attention, const HeadOfSentence& head, int query) {
  return (head.first_query + query) * attention.heads + head.head;
}

/// Returns the rows of the context's gradient, from query `first` on.
template <typename T, typename Factor>
__device__ RowsToLoad<T, Factor> rows_of_grad(const AttentionInput<T, Factor>& input, const HeadOfSentence& head,
                                              const Factor* grad, int first, int rows, SharedPointer<T> to) {
  return {context_of(grad, input.attention, head, first), input.attention.hidden, nullptr, rows, to};
}

/// Dropout of probabilities of a tile: the factor of this lane's one in each of this warp's rows.
template <typename T>
struct TileMask {
  unsigned kept;  ///< bit 4 * group + i is that of row i of a group
  T scale;

  __device__ T factor(int group, int i) const { return (kept >> (4 * group + i) & 1u) != 0 ? scale : T{0}; }
};

/// Score of a key that is too far from a query. A query is near to itself, so its weight becomes zero; it is finite, so
/// that a tile of nothing but such keys has no NaN.
constexpr float far_score = -1e30f;

/// Gives the scores of keys that are farther than Attention::farthest from their queries the value far_score.
template <typename T>
__device__ void leave_out_far_keys(const Attention& attention, const HeadOfSentence& head, int first_query,
                                   int first_key, const LaneKey& key, WarpRowValues<T>& scores) {
  if (head.tokens <= attention.farthest) return;
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int distance = first_query + first_row_of(group) + i - first_key - key.nearest;
      if ((distance < 0 ? -distance : distance) > attention.farthest) scores[group][i] = far_score;
    }
  }
}

/// Returns the tile that begins with these of a head's queries and keys.
template <typename T>
__device__ TileMask<T> mask_of_tile(const Attention& attention, const HeadOfSentence& head, int first_query,
                                    int first_key, const LaneKey& key) {
  const DropoutSite& site = attention.dropout;
  if (site.threshold == 0) return {~0u, T{1}};
  const std::uint32_t sample = attention.shape.samples[head.sentence], row = static_cast<std::uint32_t>(head.head);
  unsigned kept = 0;
  for (int group = 0; group < attention_groups; ++group) {
    const int first = first_query + first_row_of(group);
    if (first >= head.queries) continue;
    for (int i = 0; i < 4; ++i) {
      const int element = (first + i) * head.padded + first_key + key.nearest;
      const std::uint32_t word = dropout_word(site, sample, row, static_cast<std::uint32_t>(element));
      kept |= (word >= site.threshold ? 1u : 0u) << (4 * group + i);
    }
  }
  return {kept, static_cast<T>(site.scale)};
}

}  // namespace gausscse::kernels::cuda
