#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace gausscse {

/// Opens a file in a folder that others can write to: as `open_regular_file` does, but a symbolic link in the file's
/// place is refused by InputError, as it may lead to any file of who opens it.
OpenFile open_unlinked_file(const std::filesystem::path& path);

/// Returns the bytes of such a file. Throws as `read_whole_file` does.
std::string read_unlinked_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace gausscse
