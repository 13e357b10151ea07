#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/tokenizer/precompiled_charsmap.hpp"
#include "data/tokenizer/unicode_properties.hpp"

namespace gausscse {

/// White space at the ends of a text is removed.
struct StripSpace {
  bool left = false;
  bool right = false;
};

/// Each occurrence of a pattern is replaced, from left to right.
struct ReplaceText {
  std::string pattern;
  std::string content;
  /// The pattern is one character, and so many or more of it are replaced together; 0: the pattern is a string.
  std::size_t least_run = 0;
};

/// SentencePiece's step `nmt`: control characters are removed, and what looks like white space becomes a space.
struct NmtSpaces {};

/// Changes of a text before it is split into words: the `normalizer` of a tokenizer.json as a list of steps.
class TextNormalizer {
 public:
  using Step = std::variant<UnicodeForm, PrecompiledCharsmap, ReplaceText, StripSpace, NmtSpaces>;

  TextNormalizer() = default;
  explicit TextNormalizer(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// Returns the text after all steps: `text` itself, or the text in `buffer`. `text` is well-formed UTF-8.
  std::string_view normalize(std::string_view text, std::string& buffer) const;

  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

}  // namespace gausscse
