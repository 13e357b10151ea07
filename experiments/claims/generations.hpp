#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Returns what is called "IDENTITY.GENERATION" in a folder, by identity; other names are passed over, a missing folder
/// is an empty one. Throws SystemError where it cannot be read.
std::map<std::string, std::set<long>> generations_in(const std::filesystem::path& folder);
/// Returns the generations of one identity.
std::set<long> generations_of(const std::filesystem::path& folder, const std::string& identity);

/// Returns what is called "IDENTITY.NUMBER" in a folder although no worker gives such a number: too high, or with a
/// zero at its begin. Throws SystemError.
std::vector<std::filesystem::path> impossible_generations_in(const std::filesystem::path& folder);

/// Returns the names in a folder that do not begin with a point; a missing folder is an empty one. Throws SystemError.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace gausscse
