#pragma once

#include <cstdint>
#include <limits>

#include "model/kernels/dropout_site.hpp"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse::kernels {

/// Sentences by their number of tokens, for attention on GPUs, which starts kernels for each class of lengths
/// (gpu_attention.hpp): class c has sentences[first[c]] to sentences[first[c + 1] - 1]. `first` is in the host's
/// memory.
struct LengthClasses {
  const std::int32_t* sentences = nullptr;  ///< null: the classes are not known
  std::int64_t first[attention_classes + 1] = {};
};

/// Sentences packed back to back. `offsets[s]` is the first token of sentence s, `offsets[sentences]` the number of
/// tokens; `samples[s]` identifies the sentence in the global batch (for dropout). Only the first `attended[s]` tokens
/// of sentence s are attended to, or all where `attended` is null. `longest` is the number of tokens of the longest
/// one.
struct PackedShape {
  const std::int32_t* offsets;
  const std::uint32_t* samples;
  std::int64_t sentences;
  std::int64_t tokens;
  std::int64_t longest;
  const std::int32_t* attended = nullptr;
  LengthClasses classes = {};
};

/// Arguments of attention. `qkv` is [tokens, 3*hidden] (queries, keys, values next to each other), `context` [queries,
/// hidden], where queries are all tokens, or the first of each sentence if `first_token_only`.
struct Attention {
  PackedShape shape;
  std::int64_t hidden;
  std::int64_t heads;
  bool first_token_only;
  DropoutSite dropout;
  /// A token attends to those of its sentence that are at most so many places from it.
  std::int64_t farthest = std::numeric_limits<std::int64_t>::max();
};

/// Keys from `begin` on and before `end`.
struct KeyRange {
  std::int64_t begin, end;
};
/// Returns the keys, of `tokens`, that are at most `farthest` places from one of `queries` queries from `query` on. A
/// query that is farther from all, which means nothing, attends to the last one.
constexpr KeyRange keys_near(std::int64_t query, std::int64_t queries, std::int64_t tokens, std::int64_t farthest) {
  const std::int64_t begin = query > farthest ? query - farthest : 0, last = query + queries - 1;
  return {begin < tokens || begin == 0 ? begin : tokens - 1,
          farthest < tokens - 1 - last ? last + farthest + 1 : tokens};
}

/// Columns of a matrix that rotary positions turn: `heads` times `head_size` columns from `first` on, in rows that are
/// `stride` apart.
struct RotatedColumns {
  std::int64_t rows;
  std::int64_t stride;
  std::int64_t first;
  std::int64_t heads;
  std::int64_t head_size;  ///< an even number
};

}  // namespace gausscse::kernels
