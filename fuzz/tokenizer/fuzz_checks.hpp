#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Ends the process, for libFuzzer to report, if a condition does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Encodes `text` whole and cut, and requires ids in range, at most `max_tokens` of them, the same start, and `true`
/// exactly where something is missing. Returns the ids of the whole.
inline std::vector<std::uint32_t> check_encoding(const Tokenizer& tokenizer, std::string_view text,
                                                 std::size_t max_tokens) {
  std::vector<std::uint32_t> whole;
  require(!tokenizer.encode(text, static_cast<std::size_t>(-1), whole));
  for (const std::uint32_t id : whole) require(id < tokenizer.vocabulary_size());
  std::vector<std::uint32_t> start;
  const bool cut = tokenizer.encode(text, max_tokens, start);
  require(cut == (whole.size() > max_tokens));
  require(start.size() == (cut ? max_tokens : whole.size()));
  require(start.front() == whole.front());
  return whole;
}

}  // namespace gausscse
