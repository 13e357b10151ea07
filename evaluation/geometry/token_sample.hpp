#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus/token_store.hpp"

namespace gausscse {

/// One token of each of some distinct sentences.
struct TokenSample {
  /// For each sentence of the store its row in the sample, or -1.
  std::vector<std::int64_t> row_of_sentence;
  /// For each sentence of the sample the token, counted from the sentence's first.
  std::vector<std::uint32_t> token_of_row;
};

/// Draws `count` distinct sentences, or all where there are fewer, and a token of each, all equally likely. Draws under
/// the same seed differ by `draw`.
TokenSample draw_token_sample(const TokenStore& store, std::size_t count, std::uint64_t seed, std::uint64_t draw);

}  // namespace gausscse
