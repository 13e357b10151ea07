#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Changes that BERT makes to a text before it is split into words. All off: none.
struct BertNormalizer {
  bool clean_text = false;                 ///< remove control characters, turn white space into spaces
  bool handle_chinese_characters = false;  ///< set spaces around CJK ideographs
  bool strip_accents = false;              ///< decompose (NFD) and remove non-spacing marks
  bool lowercase = false;

  /// Returns the normalized text, as UTF-8; `text` must be well-formed UTF-8.
  std::string normalize(std::string_view text) const;
};

}  // namespace gausscse
