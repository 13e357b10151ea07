#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gausscse {

/// Word of another training program (transformers, sentence-transformers, SimCSE) and the key of a trial that does the
/// same.
struct KeyAlias {
  std::string_view word;
  std::string_view key;     ///< full name, or the name of a section
  std::string_view remark;  ///< difference in meaning; empty where there is none
};

/// Returns all of these words, which docs/coming-from.md lists, too.
std::span<const KeyAlias> key_aliases();

/// Returns the entry of such a word, with "-" for "_" as well; null for any other.
const KeyAlias* other_word(std::string_view word);

}  // namespace gausscse
