#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace gausscse {

/// Writes the concatenation of `parts` to `path` such that at every moment, also after a crash or a power loss, the old
/// file or the new one is there whole: writes next to it under a temporary name, flushes, renames, flushes the folder.
/// On failure throws WriteError with the file, the call and the system's text; the temporary file is gone and the old
/// file untouched, save where only the last flush, of the folder, failed: then the new file is in place and the message
/// says that a power loss may undo it. A symbolic link at `path` is replaced, not followed.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Does the same for one part.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gausscse
