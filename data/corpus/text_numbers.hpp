#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/corpus/token_store.hpp"

namespace gausscse {

/// Numbers of the texts of a store's examples, and the pairs of texts of which they name one as entailed by the other.
/// Two sentences have the same text where their token ids are the same, after the cut to the largest number of tokens.
/// The number of a text is the lowest one of a sentence with it.
class TextNumbers {
 public:
  /// A text, and one that it entails.
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  explicit TextNumbers(const TokenStore& store);

  /// Returns the number of a sentence's text.
  std::uint32_t of(std::uint32_t sentence) const { return numbers_[sentence]; }
  /// Returns the texts of the store's examples: [examples x roles].
  std::vector<std::uint32_t> of_examples() const;
  /// Returns the pairs with both texts among `texts`: rising, each once. Pairs with labels count where it is
  /// entailment.
  std::vector<Pair> entailed_among(std::span<const std::int64_t> texts) const;

 private:
  const TokenStore& store_;
  std::vector<std::uint32_t> numbers_;
  std::vector<Pair> entailed_;  ///< pairs of all examples, rising, each once
};

}  // namespace gausscse
