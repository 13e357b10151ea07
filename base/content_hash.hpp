#pragma once

#include <chrono>
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

/// Returns `content_hash` of a file, known without reading it again for as long as its size, modification time, change
/// time, inode and device stay what they were. The cache is a small file in `cache_folder` for each absolute path,
/// written atomically: any number of processes may use one folder. The folder is made if need be; where it is empty or
/// cannot be written, nothing is kept, which is no error. A file modified or changed less than two seconds before `now`
/// is hashed but not kept, as the next write may leave its time as it is. Another file in `cache_folder` under the same
/// name is neither believed nor replaced. Throws as `content_hash` does.
std::string cached_content_hash(const std::filesystem::path& file, const std::filesystem::path& cache_folder,
                                std::chrono::system_clock::time_point now = std::chrono::system_clock::now(),
                                Links links = Links::followed);

/// Returns where a user's hashes are kept: `user_cache_folder("hashes")`.
std::filesystem::path hash_cache_folder();

}  // namespace gausscse
