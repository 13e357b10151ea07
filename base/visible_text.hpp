#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns text that moves nothing on a terminal and hides nothing: control characters as \n, \t or \u{1B}, and so are
/// characters that turn the direction of writing and other line breaks; a byte that is no UTF-8 as \xFF.
std::string visible_text(std::string_view text);

/// Returns the same with line breaks and tabs as they are, for messages of several lines.
std::string visible_lines(std::string_view text);

/// Returns the code point of a well-formed UTF-8 sequence.
std::uint32_t code_point_of(std::string_view sequence);

}  // namespace gausscse
