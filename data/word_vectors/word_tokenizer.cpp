#include "data/word_vectors/word_tokenizer.hpp"

#include <utility>

#include "data/corpus/sentence.hpp"

namespace gausscse {

WordTokenizer::WordTokenizer(std::shared_ptr<const WordVectors> vectors) : vectors_(std::move(vectors)) {}

bool WordTokenizer::encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const {
  std::size_t taken = 0;
  for (std::string_view word; !(word = next_word(sentence)).empty();) {
    const std::optional<std::uint32_t> id = vectors_->find(word);
    if (!id) continue;
    if (taken == max_tokens) return true;
    ids.push_back(*id);
    ++taken;
  }
  return false;
}

std::vector<std::string> WordTokenizer::tokens() const {
  std::vector<std::string> words;
  words.reserve(vectors_->words());
  for (std::size_t i = 0; i < vectors_->words(); ++i) words.emplace_back(vectors_->word(i));
  return words;
}

}  // namespace gausscse
