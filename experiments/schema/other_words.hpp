#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// A key of a trial that does what a word of other training programs (transformers, sentence-transformers, SimCSE)
/// means.
struct OtherWord {
  std::string_view word;
  std::string_view key;     ///< full name, or the name of a section
  std::string_view remark;  ///< how the meaning differs; empty: it does not
};

/// The entry of such a word, with "-" for "_" as well; null for any other.
const OtherWord* other_word(std::string_view word);

}  // namespace gausscse
