#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/file_descriptor.hpp"

namespace gausscse {

/// Writes a file of embeddings, `/mean` and `/log_var`, float32 [sentences, dimension], of any size, a block of rows
/// at a time. It appears at its path, whole, with `commit`; an object that goes uncommitted leaves nothing.
class EmbeddingsWriter {
 public:
  /// Both numbers may be 0. Throws WriteError where the file beside `path` cannot be made.
  EmbeddingsWriter(const std::filesystem::path& path, std::int64_t sentences, std::int64_t dimension);
  EmbeddingsWriter(const EmbeddingsWriter&) = delete;
  EmbeddingsWriter& operator=(const EmbeddingsWriter&) = delete;
  ~EmbeddingsWriter();

  /// The next rows; both spans hold rows * dimension values. Throws WriteError where writing fails.
  void append(std::span<const float> mean, std::span<const float> log_var);

  /// Flushes and renames; once, after all rows. Throws WriteError where that fails.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::int64_t sentences_, dimension_;
  std::int64_t written_ = 0;
  bool committed_ = false;
  /// The same file, each at the end of what is written of its matrix.
  FileDescriptor mean_, log_var_;
};

}  // namespace gausscse
