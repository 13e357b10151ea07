#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/token_counts.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// The token ids of a list of sentences, back to back.
struct TokenizedSentences {
  std::size_t id_bytes = 0;            ///< width of an id: 2 where the vocabulary fits, else 4
  std::vector<std::uint64_t> offsets;  ///< sentence i has ids offsets[i] .. offsets[i + 1] - 1; [sentences + 1]
  std::string ids;                     ///< the ids in the machine's byte order
  std::vector<TokenCounts> counts;     ///< one a group of sentences
};

/// Tokenises each sentence, with `threads` (>= 1) threads; the result does not depend on their number. `group_ends` has
/// the number of sentences up to the end of each group, the last that of all. Throws what the tokenizer throws.
TokenizedSentences tokenize_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                      std::size_t max_tokens, std::size_t threads,
                                      std::span<const std::size_t> group_ends);

/// Returns for each sentence the lowest number of one with the same ids, which is its own where there is none before
/// it.
std::vector<std::uint32_t> first_of_same_ids(const TokenizedSentences& tokens);

}  // namespace gausscse
