#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gausscse {

// Parts of lines of STS files. What throws InputError throws it without the place.

/// Nothing where `text` is no number from 0 to 5.
std::optional<double> parse_score(std::string_view text);

/// The same; throws InputError for what is no score.
double checked_score(std::string_view text);

/// Two sentences with a tab between them. Throws InputError for another number of tabs, text that is not UTF-8 and
/// sentences of nothing but white space.
std::pair<std::string, std::string> checked_pair(std::string_view text);

}  // namespace gausscse
