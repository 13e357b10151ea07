#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/file_calls.hpp"

namespace gausscse {

/// Writer of a file of embeddings, such as `/mean` and `/log_var`, each float32 [sentences, dimension], of any size, a
/// block of rows at a time, in the format that `embeddings_format` gives for its name. The file appears at its path,
/// whole, with `commit`; an object that goes uncommitted leaves nothing.
///
///     EmbeddingsWriter writer("vectors.h5", {"mean", "log_var"}, 1000, 768);
///     writer.append({mean, log_var});  // spans of rows * 768 floats each, until 1000 rows are there
///     writer.commit();
class EmbeddingsWriter {
 public:
  /// Makes the file under a temporary name. `names` are those of the datasets, one or more. Both numbers may be 0.
  /// Throws WriteError where the file next to `path` cannot be made, InputError as `embeddings_format`.
  EmbeddingsWriter(const std::filesystem::path& path, const std::vector<std::string>& names, std::int64_t sentences,
                   std::int64_t dimension);
  EmbeddingsWriter(const EmbeddingsWriter&) = delete;
  EmbeddingsWriter& operator=(const EmbeddingsWriter&) = delete;
  ~EmbeddingsWriter();

  /// Appends the next rows, of each dataset in the order of their names: rows * dimension values each. Throws
  /// WriteError where writing fails.
  void append(const std::vector<std::span<const float>>& rows);

  /// Flushes and renames; once, after all rows. Throws WriteError where that fails.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::int64_t sentences_, dimension_;
  std::int64_t written_ = 0;
  bool committed_ = false;
  /// Descriptors of the same file, each at the end of what is written of its dataset.
  std::vector<FileDescriptor> datasets_;
};

}  // namespace gausscse
