#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/world.hpp"

// Names "IDENTITY.GENERATION" of claims and of folders of trials.

namespace gausscse {

/// The highest generation of a claim or folder. A higher number in a name, or in a file that others can write to, is no
/// worker's, and there is room to add to this one.
inline constexpr long highest_generation = 1'000'000'000'000;

/// Returns identity and generation of a name "IDENTITY.GENERATION"; nothing for another name.
std::optional<std::pair<std::string, long>> split_generation(std::string_view name);

/// Returns the generations of each identity in a folder; other names are passed over, a missing folder is an empty one.
/// Throws SystemError where it cannot be read.
std::map<std::string, std::set<long>> generations_in(const std::filesystem::path& folder,
                                                     const World& world = real_world());
/// Returns the generations of one identity.
std::set<long> generations_of(const std::filesystem::path& folder, const std::string& identity,
                              const World& world = real_world());

/// Returns the names in a folder that do not begin with a point; a missing folder is an empty one. It may change
/// meanwhile. Throws SystemError.
std::vector<std::string> names_in(const std::filesystem::path& folder, const World& world = real_world());

}  // namespace gausscse
