#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "results/embeddings_file.hpp"

namespace gausscse {

/// Rows of a file that `encode` wrote, to which it adds others.
///
///     const EncodedRows earlier("corpus.h5", {"mean", "log_var"}, 384, attributes);
///     EmbeddingsWriter writer("corpus.h5", {"mean", "log_var"}, earlier.rows() + 1000, 384, attributes);
///     earlier.copy_to(writer);
class EncodedRows {
 public:
  /// Throws InputError unless the file may get rows that `encode` computes now. It must have the format of its suffix,
  /// these datasets, this dimension and, but for `version`, the texts of `attributes`, and no others. The message names
  /// the difference. A file of earlier versions may lack `pooling`, which its `model_hash` knows.
  EncodedRows(const std::filesystem::path& path, const std::vector<std::string>& datasets, std::int64_t dimension,
              const EmbeddingsAttributes& attributes);

  std::int64_t rows() const { return static_cast<std::int64_t>(file_.rows()); }
  /// Returns its count of sentences that were cut.
  std::int64_t cut_sentences() const;
  /// Returns a note that the file has no checksum; empty if it has.
  std::string note() const { return file_.note(); }
  /// Returns a warning if another version wrote the rows, else an empty text.
  const std::string& warning() const { return warning_; }
  /// Appends all rows to `writer`, in blocks.
  void copy_to(EmbeddingsWriter& writer) const;

 private:
  EmbeddingsReader file_;
  std::string warning_;
};

}  // namespace gausscse
