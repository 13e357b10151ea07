#pragma once

#include <cstdint>

namespace gausscse::kernels {

// Limits of attention's kernels for GPUs, for their callers.

/// Columns of a head that they take at most.
constexpr std::int64_t widest_attention_head_of_gpus = 128;

/// Queries, and keys, of a tile.
constexpr int attention_tile_of_gpus = 32;

/// Sentences of up to 16 tokens are in the first class of lengths, up to 32 in the second, and so on.
constexpr int attention_class_tokens = 16, attention_classes = 4;

/// Numbers of each query and head in the statistics, see Kernels::attention.
constexpr int attention_statistics = 2;

/// Returns whether tensor cores compute attention of heads of `head_size` columns.
constexpr bool has_attention_by_tensor_cores(std::int64_t head_size, bool in_bfloat16) {
  return in_bfloat16 && (head_size == 32 || head_size == 64);
}

/// Returns the tokens of the longest sentences that are computed at once. The forward of sentences with more tokens
/// keeps statistics for their backward.
constexpr int short_attention_tokens(std::int64_t head_size, bool in_bfloat16) {
  return has_attention_by_tensor_cores(head_size, in_bfloat16) ? attention_classes * attention_class_tokens
                                                               : attention_tile_of_gpus;
}

}  // namespace gausscse::kernels
