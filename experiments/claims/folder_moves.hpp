#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/world.hpp"

// Steps by which folders of trials are moved, in results folders that other workers and users may change meanwhile.

namespace gausscse {

/// Returns the folder `unfinished/IDENTITY.GENERATION`.
std::filesystem::path unfinished_path(const std::filesystem::path& results, const std::string& identity,
                                      long generation);

/// End of the name of a folder that was taken from its holder.
inline constexpr const char* left_ending = ".left";

/// Renames a folder or a file. Returns 0, or the error number of the system.
int rename_folder(const std::filesystem::path& from, const std::filesystem::path& to, const World& world);

/// Throws WriteError for a rename that failed with this error number.
[[noreturn]] void throw_rename_error(const std::filesystem::path& from, const std::filesystem::path& to, int error);

/// Returns whether a folder is there; a symbolic link to one is none.
bool is_real_folder(const std::filesystem::path& path, const World& world);

/// Returns all names in a folder; none of anything else, such as a symbolic link to one. Throws SystemError.
std::vector<std::string> all_names_in(const std::filesystem::path& folder, const World& world);

}  // namespace gausscse
