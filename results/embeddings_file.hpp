#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "results/embeddings_seal.hpp"

namespace gausscse {

/// Attributes of a file of embeddings, by name.
struct EmbeddingsAttributes {
  std::map<std::string, std::string> texts;
  /// Names of whole numbers that are known when all rows are written, and their values so far.
  std::map<std::string, std::int64_t> counts;
};

/// Formats of a file of embeddings, chosen by the suffix of its name.
enum class EmbeddingsFormat { hdf5, npy, npz, safetensors, parquet };

/// Returns the format for a name: .h5, .hdf5 and no suffix are HDF5; .npy, .npz, .safetensors and .parquet are the
/// formats of these names. Throws InputError for any other, with the suffixes that work. Also for .npy of several
/// datasets, of which such a file holds one, and for .parquet where the plug-in that writes it is missing.
EmbeddingsFormat embeddings_format(const std::filesystem::path& path, std::size_t datasets = 1);

class EmbeddingsOutput;

/// Writer of a file of embeddings, such as `/mean` and `/log_var`, each float32 [sentences, dimension], of any size, a
/// block of rows at a time. The format is the one that `embeddings_format` gives for its name. All but Parquet have a
/// checksum. The file appears at its path, whole, with `commit`; an object that goes uncommitted leaves nothing.
///
///     EmbeddingsWriter writer("vectors.h5", {"mean", "log_var"}, 1000, 768);
///     writer.append({mean, log_var});  // spans of rows * 768 floats each, until 1000 rows are there
///     writer.commit();
class EmbeddingsWriter {
 public:
  /// Makes the file under a temporary name. `names` are those of the datasets, one or more. Both numbers may be 0.
  /// A .npy file holds no attributes. Throws WriteError where the file next to `path` cannot be made, InputError as
  /// `embeddings_format`.
  EmbeddingsWriter(const std::filesystem::path& path, const std::vector<std::string>& names, std::int64_t sentences,
                   std::int64_t dimension, EmbeddingsAttributes attributes = {});
  EmbeddingsWriter(const EmbeddingsWriter&) = delete;
  EmbeddingsWriter& operator=(const EmbeddingsWriter&) = delete;
  ~EmbeddingsWriter();

  /// Appends the next rows, of each dataset in the order of their names: rows * dimension values each. Throws
  /// WriteError where writing fails.
  void append(const std::vector<std::span<const float>>& rows);

  /// Changes the value of a count that the attributes have.
  void set_count(const std::string& name, std::int64_t value);

  /// Flushes and renames; once, after all rows. Throws WriteError where that fails.
  void commit();

 private:
  /// Sets the checksum among the attributes to that of the values so far; a Parquet table has none.
  void set_seal();

  std::filesystem::path path_, temporary_;
  std::int64_t sentences_, dimension_;
  std::size_t datasets_;
  EmbeddingsFormat format_;
  EmbeddingsAttributes attributes_;
  EmbeddingsSeal seal_;
  std::int64_t written_ = 0;
  bool committed_ = false;
  FileDescriptor file_;
  std::unique_ptr<EmbeddingsOutput> output_;
};

/// Returns whether the first bytes of a file are those of HDF5, .npy, .npz or .safetensors, which no text begins with.
/// Throws InputError where it cannot be opened.
bool is_embeddings_file(const std::filesystem::path& path);

/// File of embeddings in HDF5, .safetensors, .npz or .npy (known by its content), open for reading of any rows. A row
/// has mean and log-variance one behind the other, as models give them, or the one vector of a model that is not
/// Gaussian. The file is compared with its checksum, if it has one, when it is opened.
///
///     const EmbeddingsReader file("vectors.h5");
///     std::vector<float> rows = file.read(1000, 64);  // rows 1000 to 1063, [64, file.width()]
///
/// Memory does not grow with the file. Any bytes are safe: HDF5's library, which damaged files can crash, only sees
/// the file in a copy of the process, and values are read past it. Values may be infinite or NaN.
class EmbeddingsReader {
 public:
  /// Throws InputError for an unreadable or damaged file, one of another format, and one that differs from its
  /// checksum. Also for one without float32 matrices of equal shape `mean` and `log_var`, or the matrix `embedding` (a
  /// .npy file's only one).
  explicit EmbeddingsReader(const std::filesystem::path& path);

  /// Returns the format that its content has.
  EmbeddingsFormat format() const { return format_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t dimension() const { return dimension_; }
  /// Returns the number of values of a row: dimension times datasets.
  std::uint64_t width() const { return dimension_ * datasets_.size(); }
  bool is_gaussian() const { return datasets_.size() == 2; }
  /// Returns whether the file had a checksum: this program's, or those of a .npz archive's members.
  bool is_checked() const { return is_checked_; }
  /// Returns a note that the file was not checked; empty if it was.
  std::string note() const;
  /// Returns {"mean", "log_var"} or {"embedding"}.
  const std::vector<std::string>& datasets() const { return datasets_; }
  /// Returns texts by name, such as "model" and "similarity"; empty where a program that is not this one wrote the
  /// file, and for .npy.
  const std::map<std::string, std::string>& attributes() const { return attributes_; }

  /// Returns `count` rows from row `first` on, [count, width]. Throws InputError where the file has become shorter,
  /// std::logic_error for rows that it never had; may be called by several threads.
  std::vector<float> read(std::uint64_t first, std::uint64_t count) const;
  /// Reads rows into memory of the caller, a multiple of the width.
  void read(std::uint64_t first, std::span<float> rows) const;

 private:
  std::filesystem::path path_;
  OpenFile file_;
  EmbeddingsFormat format_ = EmbeddingsFormat::hdf5;
  std::uint64_t rows_ = 0, dimension_ = 0;
  bool is_checked_ = false;
  std::vector<std::string> datasets_;
  std::vector<std::uint64_t> offsets_;  ///< place of each dataset's values, bytes from the file's begin
  std::map<std::string, std::string> attributes_;
};

}  // namespace gausscse
