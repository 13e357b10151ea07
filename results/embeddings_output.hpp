#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_calls.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// Shape of the content of a file of embeddings: float32 matrices of these names, [rows, columns] each.
struct EmbeddingsShape {
  std::vector<std::string> names;
  std::int64_t rows = 0, columns = 0;

  /// Returns the bytes of the values of one matrix.
  std::int64_t bytes() const { return rows * columns * static_cast<std::int64_t>(sizeof(float)); }
};

/// One format's way of writing embeddings to a file. All throw WriteError where writing fails.
class EmbeddingsOutput {
 public:
  virtual ~EmbeddingsOutput() = default;
  /// Writes the next rows of each dataset.
  virtual void append(const std::vector<std::span<const float>>& rows) = 0;
  /// Writes the part behind the last row, with the counts as they are now; once.
  virtual void finish(const EmbeddingsAttributes& attributes) = 0;
};

/// Begins to write the empty file at `path`, open as `file`, which must outlive the object. The texts of `attributes`
/// are the final ones, but for the checksum `embeddings_seal`, which keeps its length.
std::unique_ptr<EmbeddingsOutput> make_embeddings_output(EmbeddingsFormat format, const FileDescriptor& file,
                                                         const std::filesystem::path& path,
                                                         const EmbeddingsShape& shape,
                                                         const EmbeddingsAttributes& attributes);

/// Returns the output for Parquet tables: a column for each matrix, of lists of the same length, and a row group for
/// each call of `append`. Made by the plug-in parquet_plugin/.
std::unique_ptr<EmbeddingsOutput> make_parquet_output(const FileDescriptor& file, const std::filesystem::path& path,
                                                      const EmbeddingsShape& shape);

/// Bytes and their place in a file.
struct PlacedBytes {
  std::int64_t offset = 0;
  std::string bytes;
};

/// Arrangement of a file whose matrices lie in one piece each, at places that are known from the beginning.
class EmbeddingsLayout {
 public:
  virtual ~EmbeddingsLayout() = default;
  /// Returns the begin of each matrix's values, in bytes from the file's begin; values are row by row, little-endian
  /// float32.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  /// Takes note of the next values of a matrix.
  virtual void on_values(std::size_t /*matrix*/, std::string_view /*bytes*/) {}
  /// Returns the bytes to be written behind all values, with their places.
  virtual std::vector<PlacedBytes> ending(const EmbeddingsAttributes&) { return {}; }

 protected:
  std::vector<std::int64_t> offsets_;
};

// Each makes the empty file at `path` one of its format without the values. All throw WriteError where there is no room
// for all values, or the process may not make a file of that size.

/// A matrix as numpy saves it; the shape has one name. Of the attributes it has only the checksum, if there is one.
std::unique_ptr<EmbeddingsLayout> lay_out_npy(const FileDescriptor& file, const std::filesystem::path& path,
                                              const EmbeddingsShape& shape, const EmbeddingsAttributes& attributes);
/// A zip archive, without compression, of the matrices as NAME.npy and of the attributes as attributes.npy, the bytes
/// of a JSON text.
std::unique_ptr<EmbeddingsLayout> lay_out_npz(const FileDescriptor& file, const std::filesystem::path& path,
                                              const EmbeddingsShape& shape);
/// Tensors, and the attributes as metadata.
std::unique_ptr<EmbeddingsLayout> lay_out_safetensors(const FileDescriptor& file, const std::filesystem::path& path,
                                                      const EmbeddingsShape& shape,
                                                      const EmbeddingsAttributes& attributes);
/// Datasets and attributes of the root group. The values are written past HDF5. After a failed write its library (1.10)
/// ends the process with a segmentation fault at exit, so that a full disk could not be reported with an exit code.
std::unique_ptr<EmbeddingsLayout> lay_out_hdf5(const FileDescriptor& file, const std::filesystem::path& path,
                                               const EmbeddingsShape& shape, const EmbeddingsAttributes& attributes);

/// Returns numpy's header of version 1.0 for an array of the type `descr`, such as "<f4". It has magic, a text that is
/// a Python dict, and padding; values begin at a multiple of 64. The padding is spaces. `seal`, 32 hexadecimal digits
/// or nothing, is written in it: its 128 bits, the highest first, are a space for 0 and a tab for 1.
///
///     \x93NUMPY 1 0 LENGTH {'descr': '<f4', ..., } | 128 spaces and tabs | spaces, newline | values
std::string npy_header(std::string_view descr, std::string_view shape, std::string_view seal = {});

/// Returns the checksum in the padding of numpy's header, from the last brace on; empty if it is only spaces, nothing
/// if it is neither.
std::optional<std::string> seal_in_padding(std::string_view padding);

/// Returns the bytes of these values.
inline std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Makes the file that long. Throws WriteError.
void grow_file(const FileDescriptor& file, std::int64_t bytes, const std::filesystem::path& path);

/// Returns the attributes with the bytes of texts replaced that are not UTF-8, such as those of a path, and without
/// their NULs.
EmbeddingsAttributes valid_attributes(EmbeddingsAttributes attributes);

/// Flushes and closes the file at `temporary`, and renames it to `path`. Throws WriteError where that fails; the
/// temporary file is gone then, or the message says that the new file is in place.
void put_in_place(FileDescriptor file, const std::filesystem::path& temporary, const std::filesystem::path& path);

/// Returns the attributes with each count as its digits.
std::map<std::string, std::string> texts_of(const EmbeddingsAttributes& attributes);

}  // namespace gausscse
