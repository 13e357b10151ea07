#include "inference/split_texts.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/sentences/sentence_splitter.hpp"

namespace gausscse {

std::vector<std::string> sentences_of(std::string_view text, const std::string& language_tag) {
  if (const std::size_t place = find_invalid_utf8(text); place != std::string_view::npos)
    throw InputError(concat("the text is not UTF-8 at byte ", place, ": convert it to UTF-8"));
  SentenceSplitter splitter(language_tag);
  std::vector<std::string> sentences;
  splitter.split(text, [&](std::string_view sentence) { sentences.emplace_back(sentence); });
  return sentences;
}

}  // namespace gausscse
