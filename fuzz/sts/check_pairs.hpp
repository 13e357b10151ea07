#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

/// Checks that the pairs that a reader accepts have scores and well-formed sentences.
inline void check_pairs(const std::vector<StsPair>& pairs) {
  if (pairs.empty()) std::abort();
  for (const StsPair& pair : pairs) {
    if (!(pair.score >= 0 && pair.score <= 5)) std::abort();
    for (const std::string& sentence : {pair.first, pair.second})
      if (sentence.empty() || find_invalid_utf8(sentence) != std::string_view::npos) std::abort();
  }
}

}  // namespace gausscse
