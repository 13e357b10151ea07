#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/string_table.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Vectors of words, in memory. Immutable; any number of threads may use one.
class WordVectors {
 public:
  /// Receives the number of bytes of the text that have been read, and of all its bytes.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

  /// Reads a text as WordVectorReader does; of a word that comes again the last vector counts, as in SentEval's example
  /// of a bag of words. `progress` may be empty. Throws InputError for a text that cannot be used.
  explicit WordVectors(const std::filesystem::path& text, const Progress& progress = {});

  std::size_t words() const { return words_.size(); }
  /// Values of a vector.
  std::size_t width() const { return width_; }
  std::string_view word(std::uint32_t number) const { return words_[number]; }
  /// Returns the number of a word, exactly as it is written; nothing where it has no vector.
  std::optional<std::uint32_t> find(std::string_view word) const { return words_.find(word); }
  /// Returns the vector of a word's number. Stays where it is when the object is moved.
  std::span<const float> row(std::uint32_t number) const;

  /// Returns the number of vectors of the text that were replaced by a later one of the same word.
  std::size_t repeated() const { return repeated_; }
  /// Returns the XXH3-128 of the bytes that were read.
  const std::string& content_hash() const { return content_hash_; }

 private:
  StringTable words_;
  std::vector<std::vector<float>> rows_;  ///< one allocation each: none is copied as the table grows
  std::size_t width_ = 0;
  std::size_t repeated_ = 0;
  std::string content_hash_;
};

/// The words of a sentence that have a vector, in their order: the parts between white space (Python's `str.split`),
/// exactly as they are written. Words without a vector are left out, so that a sentence may have none. The id of a word
/// is its number, and row, in the vectors.
class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(std::shared_ptr<const WordVectors> vectors);

  /// Appends the numbers of the sentence's words that have a vector. A word that is not UTF-8 has none.
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
