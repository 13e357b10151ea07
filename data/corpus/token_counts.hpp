#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Counts over the distinct sentences of a file: how many were cut, and how many of their tokens are unknown. They do
/// not depend on the order of the sentences.
struct TokenCounts {
  std::uint64_t sentences = 0;
  std::uint64_t cut = 0;                 ///< sentences that were longer than max_tokens
  std::uint64_t tokens = 0;              ///< tokens after the cut, without special ones
  std::uint64_t unknown = 0;             ///< tokens that represent text which the vocabulary lacks
  std::uint64_t unknown_of_example = 0;  ///< unknown tokens in `example`
  std::string example = {};  ///< the sentence with the most unknown tokens, the first by its bytes; empty: none

  bool operator==(const TokenCounts&) const = default;

  /// Adds a sentence with its ids, as `tokenizer` gave them.
  void add(const Tokenizer& tokenizer, std::string_view sentence, std::span<const std::uint32_t> ids, bool is_cut);
  void add(const TokenCounts& other);

 private:
  void offer_example(std::string_view sentence, std::uint64_t unknown_tokens);
};

/// Returns whether `part` is at least a twentieth of `whole`: a share that a user should know of.
constexpr bool is_large_share(std::uint64_t part, std::uint64_t whole) {
  constexpr std::uint64_t least_part = 20;
  return part > 0 && part * least_part >= whole;
}

}  // namespace gausscse
