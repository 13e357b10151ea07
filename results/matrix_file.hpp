#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/file_calls.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

class EmbeddingsLayout;

/// Returns the format of a matrix by the suffix of its file's name: .h5, .hdf5 and no suffix are HDF5, .npy is numpy's.
/// Throws InputError for any other.
EmbeddingsFormat matrix_format(const std::filesystem::path& path);

/// Writer of a file with one matrix of float32, [rows, columns], of any size, a tile at a time in any order. The file
/// appears at its path, whole, with `commit`; an object that goes uncommitted leaves nothing.
///
///     MatrixWriter writer("matrix.h5", "similarity", 1000, 50000, attributes);
///     writer.write(0, 2048, 1024, 2048, values);  // rows 0 to 1023, columns 2048 to 4095, row by row
///     writer.commit();                            // after all elements
class MatrixWriter {
 public:
  /// Makes the file under a temporary name. A .npy file has no name and no attributes. Throws WriteError where the file
  /// next to `path` cannot be made or has no room, InputError as `matrix_format`.
  MatrixWriter(const std::filesystem::path& path, const std::string& name, std::int64_t rows, std::int64_t columns,
               const EmbeddingsAttributes& attributes);
  MatrixWriter(const MatrixWriter&) = delete;
  MatrixWriter& operator=(const MatrixWriter&) = delete;
  ~MatrixWriter();

  /// Writes the tile of `rows` rows and `columns` columns from `first_row` and `first_column` on; every element of the
  /// matrix once. Throws WriteError where writing fails.
  void write(std::int64_t first_row, std::int64_t first_column, std::int64_t rows, std::int64_t columns,
             std::span<const float> values);

  /// Flushes and renames; once, after all elements. Throws WriteError where that fails.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::int64_t rows_, columns_;
  std::int64_t written_ = 0;  ///< elements
  bool committed_ = false;
  FileDescriptor file_;
  std::unique_ptr<EmbeddingsLayout> layout_;
};

}  // namespace gausscse
