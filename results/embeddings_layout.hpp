#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_calls.hpp"

namespace gausscse {

/// Makes the empty file at `path`, open as `empty_file`, a file of matrices [rows, columns] as HDF5 wants it, their
/// values not written yet, and gives where these lie, matrix by matrix: bytes from the file's begin, row by row,
/// little-endian float32; the file's end where there are no values. They are written past HDF5: after a failed write
/// its library (1.10) ends the process with a segmentation fault at exit, so that a full disk could not be reported
/// with an exit code. Throws WriteError where there is no room for the layout, or the process may not make a file of
/// that size.
std::vector<std::int64_t> lay_out_embeddings(const FileDescriptor& empty_file, const std::filesystem::path& path,
                                             const std::vector<std::string>& names, std::int64_t rows,
                                             std::int64_t columns);

}  // namespace gausscse
