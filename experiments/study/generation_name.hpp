#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gausscse {

/// The highest generation of a claim or folder. A higher number in a name, or in a file that others can write to, is no
/// worker's, and there is room to add to this one.
inline constexpr long highest_generation = 1'000'000'000'000;

/// Returns identity and generation of a name "IDENTITY.GENERATION"; nothing for another name.
std::optional<std::pair<std::string, long>> split_generation(std::string_view name);

}  // namespace gausscse
