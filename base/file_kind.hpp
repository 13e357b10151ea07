#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Kind of a file that its first bytes name: "gzip data", and the remedy where another kind is needed.
struct FileKind {
  std::string_view name;
  std::string_view remedy;
  /// True where a text in UTF-8 may begin with the same bytes, as a page of HTML does.
  bool may_be_text = false;
};

/// Names of kinds that are this program's own files as well.
inline constexpr std::string_view hdf5_kind = "an HDF5 file", safetensors_kind = "a file of safetensors",
                                  npz_kind = "an archive of NumPy arrays (npz)";

/// Names of the kinds that are read as the text in them (data/source/text_source.hpp).
inline constexpr std::string_view gzip_kind = "gzip data", zstd_kind = "zstd data", parquet_kind = "a Parquet table";

/// Bytes at a file's beginning that `find_file_kind` looks at.
inline constexpr std::size_t file_kind_bytes = 512;

/// Returns the kind that `first_bytes`, the beginning of a file, belong to; null where they name none, which is so for
/// plain text in UTF-8. Archives, tables, pictures, models of other formats, text in UTF-16 or UTF-32 and the like are
/// known, see the table in file_kind.cpp.
const FileKind* find_file_kind(std::string_view first_bytes);

/// Throws InputError, "name: this is KIND: REMEDY", where no text in UTF-8 begins with `first_bytes`. Readers of text
/// call it before they read, so that a message names the cause, not the first byte that does not fit.
void refuse_binary_file(std::string_view first_bytes, std::string_view name);

/// Throws InputError if a file begins as one of any known kind. For readers of formats that begin in another way, such
/// as JSON.
void refuse_other_file(std::string_view first_bytes, std::string_view name);

}  // namespace gausscse
