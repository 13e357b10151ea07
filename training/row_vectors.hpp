#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "config/trial/trial.hpp"
#include "data/word_vectors/row_tokenizer.hpp"
#include "model/given_vectors.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// Sentence vectors that a trial has in place of an encoder: a matrix in a file, and a text file with the sentence of
/// each row.
///
///     const RowVectors vectors(trial);
///     const TokenStore store = TokenStore::open_or_build(files, *vectors.tokenizer(), options);
///     vectors.check_complete(trial);
///     GivenVectors embedder = vectors.embedder(device);  // a sentence's embedding is its row
class RowVectors {
 public:
  /// Reads both files once; rows stay in their file. Throws InputError for a file that cannot be read, another number
  /// of rows than of texts, a value that is not finite, and a text that has two different vectors.
  explicit RowVectors(const Trial& trial);

  std::int64_t width() const { return static_cast<std::int64_t>(file_->width()); }
  std::uint64_t rows() const { return file_->rows(); }
  const std::shared_ptr<const RowTokenizer>& tokenizer() const { return tokenizer_; }
  /// Returns a note that the vectors' file has no checksum; empty if it has.
  std::string note() const { return file_->note(); }
  /// Returns the XXH3-128 of each file.
  const std::string& vectors_hash() const { return vectors_hash_; }
  const std::string& texts_hash() const { return texts_hash_; }
  /// Returns a model for `device` that reads rows from the file as they are asked for.
  std::unique_ptr<GivenVectors> embedder(at::Device device) const;

  /// Throws InputError where the tokenizer has met sentences without a vector: their number, and one of them with the
  /// file and the line of the trial that has it.
  void check_complete(const Trial& trial) const;

 private:
  std::filesystem::path texts_path_;
  std::shared_ptr<const EmbeddingsReader> file_;
  std::shared_ptr<const RowTokenizer> tokenizer_;
  std::string vectors_hash_, texts_hash_;
};

}  // namespace gausscse
