#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gausscse {

/// Returns a number with its noun, whose plural ends with s: "1 rank", "3 ranks".
inline std::string counted(std::int64_t number, std::string_view noun) {
  return concat(number, " ", noun, number == 1 ? "" : "s");
}

/// Returns a duration as people read it: 45s, 3m10s, 2h05m. A negative value and NaN give 0s.
std::string readable_duration(double seconds);

/// Returns the length in bytes (1 to 4) of the well-formed UTF-8 sequence `text` begins with. 0 if `text` is empty or
/// begins with an ill-formed one: overlong forms, surrogates, values over U+10FFFF, a cut sequence. As in the Unicode
/// standard, table 3-7.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

/// Returns the number of code points of well-formed UTF-8.
std::size_t code_points(std::string_view text) noexcept;

/// Returns the offset of the first ill-formed byte of `text`, or `std::string_view::npos` if all of it is well-formed
/// UTF-8.
std::size_t find_invalid_utf8(std::string_view text) noexcept;

/// Returns text that moves nothing on a terminal and hides nothing. Control characters are written as \n, \t or \u{1B},
/// and so are other line breaks and characters that turn the direction of writing. A byte that is no UTF-8 is \xFF.
std::string visible_text(std::string_view text);

/// Returns a visible text that keeps its line breaks and tabs, for messages of several lines.
std::string visible_lines(std::string_view text);

/// Returns the code point of a well-formed UTF-8 sequence.
std::uint32_t code_point_of(std::string_view sequence);

}  // namespace gausscse
