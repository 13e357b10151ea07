#include "evaluation/nli/word_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

/// Calls visit(word) for each word of a text in lower case.
void visit_words(std::string_view text, const auto& visit) {
  std::size_t begin = 0;
  for (std::size_t end = 0, next = 0; end < text.size(); end = next) {
    if (is_word_character(next_code_point(text, next))) continue;
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = next;
  }
  if (begin < text.size()) visit(text.substr(begin));
}

}  // namespace

std::vector<double> word_weights(std::span<const std::string> sentences) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> words_of_sentence;
  std::vector<std::uint32_t> sentences_with;
  for (const std::string& sentence : sentences) {
    std::string lower;
    append_lower_cased(sentence, lower);
    std::vector<std::uint32_t>& words = words_of_sentence.emplace_back();
    visit_words(lower, [&](std::string_view word) {
      words.push_back(numbers.try_emplace(std::string(word), static_cast<std::uint32_t>(numbers.size())).first->second);
    });
    std::sort(words.begin(), words.end());
    sentences_with.resize(numbers.size(), 0);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (i == 0 || words[i] != words[i - 1]) ++sentences_with[words[i]];
  }
  std::vector<double> weights;
  for (std::vector<std::uint32_t>& words : words_of_sentence) {
    // Numbers of sentences in place of words, in order: sums of the same terms are equal.
    std::transform(words.begin(), words.end(), words.begin(), [&](std::uint32_t word) { return sentences_with[word]; });
    std::sort(words.begin(), words.end());
    double sum = 0;
    for (const std::uint32_t with : words)
      sum += std::log((static_cast<double>(sentences.size()) + 1) / (static_cast<double>(with) + 1));
    weights.push_back(sum);
  }
  return weights;
}

}  // namespace gausscse
