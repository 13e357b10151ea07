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

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Options of opening word vectors.
struct WordVectorOptions {
  std::filesystem::path index_folder;  ///< folder of indexes; empty: none is kept
  std::filesystem::path hash_folder;   ///< cache folder of `cached_content_hash`; empty: the file is hashed each time
  /// Receives the number of bytes of the text that have been read, and of all its bytes, while the index is made; may
  /// be empty.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};
};

/// Vectors of words. Immutable; any number of threads may use one.
class WordVectors {
 public:
  /// Opens a text as WordVectorReader reads it; of a word that comes again the last vector counts. The first time an
  /// index of it is made, in `index_folder` under a name that represents the text's content, and from then on used: the
  /// words are read at once, each row when it is first asked for, and what was read stays as it was. An index that is
  /// cut short, damaged, of another version or of another text is made again, with a warning; where none can be kept,
  /// all is held in memory, with a warning. Throws InputError for a text that cannot be used, or that changes while it
  /// is read.
  static WordVectors open(const std::filesystem::path& text, const WordVectorOptions& options);

  WordVectors(WordVectors&&) noexcept;
  WordVectors& operator=(WordVectors&&) noexcept;
  ~WordVectors();

  std::size_t words() const;
  /// Values of a vector.
  std::size_t width() const;
  std::string_view word(std::size_t number) const;
  /// Returns the number of a word, exactly as it is written; nothing where it has no vector. Throws InputError, naming
  /// the file, where the index is damaged at this word's vector.
  std::optional<std::uint32_t> find(std::string_view word) const;
  /// Returns the vector of a word's number. Stays where it is when the object is moved. Throws as `find`.
  std::span<const float> row(std::size_t number) const;

  /// Returns how many vectors of the text were replaced by a later one of the same word.
  std::size_t repeated() const;
  /// Returns the XXH3-128 of the text.
  const std::string& content_hash() const;
  bool from_index() const;
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  explicit WordVectors(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

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
