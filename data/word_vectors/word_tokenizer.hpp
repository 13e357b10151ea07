#pragma once

#include <memory>

#include "data/tokenizer/tokenizer.hpp"
#include "data/word_vectors/word_vectors.hpp"

namespace gausscse {

/// The words of a sentence that have a vector, in their order: what lies between white space (Python's `str.split`),
/// exactly as it is written. Words without a vector are left out, so that a sentence may have none. The id of a word is
/// its number, and row, in the vectors.
class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(std::shared_ptr<const WordVectors> vectors);

  /// Appends the numbers of the sentence's words that have a vector. A word that is not UTF-8 has none. Throws as
  /// WordVectors::find does.
  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override;
  std::size_t vocabulary_size() const override { return vectors_->words(); }
  std::vector<std::string> tokens() const override;
  const std::string& fingerprint() const override { return vectors_->content_hash(); }
  const std::vector<std::filesystem::path>& files() const override { return no_files_; }

 private:
  std::shared_ptr<const WordVectors> vectors_;
  std::vector<std::filesystem::path> no_files_;
};

}  // namespace gausscse
