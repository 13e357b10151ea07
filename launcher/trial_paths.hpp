#pragma once

#include <filesystem>
#include <string>

namespace gausscse {

/// Returns a file's path as a trial in `folder`, an absolute path, names it: from there, unless the two have only the
/// root in common.
std::filesystem::path path_from(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Returns a folder for results that is not there yet, "runs/NAME" or "runs/NAME-2", as a trial in `folder` names it;
/// in a folder runs "NAME".
std::filesystem::path new_output(const std::filesystem::path& folder, const std::string& name);

}  // namespace gausscse
