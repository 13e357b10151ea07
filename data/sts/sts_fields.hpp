#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gausscse {

// Parts of lines of STS files.

/// Fields that a line is split into at most; the last one has the rest.
inline constexpr std::size_t most_fields = 64;

/// Nothing where `text` is no number from 0 to 5.
std::optional<double> parse_score(std::string_view text);

/// The same; throws InputError with file and line for what is no score.
double checked_score(std::string_view text, const std::string& file, std::size_t line);

/// Two sentences with a tab between them. Throws InputError with file and line for another number of tabs, text that is
/// not UTF-8 and sentences of nothing but white space.
std::pair<std::string, std::string> checked_pair(std::string_view text, const std::string& file, std::size_t line);

}  // namespace gausscse
