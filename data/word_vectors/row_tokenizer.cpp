#include "data/word_vectors/row_tokenizer.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

RowTokenizer::RowTokenizer(StringTable texts, std::vector<std::uint32_t> row_of_text, std::size_t rows,
                           std::string fingerprint)
    : texts_(std::move(texts)),
      row_of_text_(std::move(row_of_text)),
      rows_(rows),
      fingerprint_(std::move(fingerprint)) {
  GAUSSCSE_CHECK(row_of_text_.size() == texts_.size(), row_of_text_.size(), " rows of ", texts_.size(), " texts");
}

bool RowTokenizer::encode(std::string_view sentence, std::size_t /*max_tokens*/,
                          std::vector<std::uint32_t>& ids) const {
  if (const std::optional<std::uint32_t> text = texts_.find(sentence)) {
    ids.push_back(row_of_text_[*text]);
    return false;
  }
  ids.push_back(static_cast<std::uint32_t>(rows_));
  const std::lock_guard lock(mutex_);
  missing_.emplace(sentence);
  return false;
}

std::vector<std::string> RowTokenizer::tokens() const {
  std::vector<std::string> tokens(vocabulary_size());
  for (std::uint32_t text = 0; text < texts_.size(); ++text) tokens[row_of_text_[text]] = texts_[text];
  return tokens;
}

std::set<std::string> RowTokenizer::missing() const {
  const std::lock_guard lock(mutex_);
  return missing_;
}

}  // namespace gausscse
