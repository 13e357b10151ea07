#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Number of Unicode code points of well-formed UTF-8.
std::size_t character_length(std::string_view sentence);

/// Whether the longer sentence entails: the premise has more characters than the hypothesis, strictly.
bool length_tells_direction(std::string_view premise, std::string_view hypothesis);

}  // namespace gausscse
