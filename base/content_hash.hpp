#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace gausscse {

/// Returns the XXH3-128 of a file's bytes, as 32 hexadecimal digits: what `xxh128sum` prints. Throws InputError where
/// the file is missing, a folder, a refused link or unreadable.
std::string content_hash(const std::filesystem::path& path, Links links = Links::followed);

/// Returns the same for bytes in memory.
std::string content_hash_of(std::string_view bytes);

}  // namespace gausscse
