#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/tokenizer/unicode_properties.hpp"

namespace gausscse {

/// Changes of a text before it is split into words: the `normalizer` of a tokenizer.json as a list of steps.
class TextNormalizer {
 public:
  using Step = std::variant<UnicodeForm>;

  TextNormalizer() = default;
  explicit TextNormalizer(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// Returns the text after all steps: `text` itself, or the text in `buffer`. `text` is well-formed UTF-8.
  std::string_view normalize(std::string_view text, std::string& buffer) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace gausscse
