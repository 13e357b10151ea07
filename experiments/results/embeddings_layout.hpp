#pragma once

#include <cstdint>
#include <filesystem>

#include "base/file_descriptor.hpp"

namespace gausscse {

/// Where the values lie in a file of embeddings, row by row, little-endian float32: bytes from the file's begin. Both
/// are its end where there are no values.
struct EmbeddingsLayout {
  std::int64_t mean = 0;
  std::int64_t log_var = 0;
};

/// Makes the empty file at `path`, open as `empty_file`, a file of embeddings as HDF5 wants it, its values not written
/// yet. They are written past HDF5: after a failed write its library (1.10) ends the process with a segmentation fault
/// at exit, so that a full disk could not be reported with an exit code. Throws WriteError where there is no room for
/// the layout, or the process may not make a file of that size.
EmbeddingsLayout lay_out_embeddings(const FileDescriptor& empty_file, const std::filesystem::path& path,
                                    std::int64_t sentences, std::int64_t dimension);

}  // namespace gausscse
