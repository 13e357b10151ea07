#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Returns the length in bytes (1 to 4) of the well-formed UTF-8 sequence `text` begins with; 0 if it is ill-formed
/// (overlong forms, surrogates, values over U+10FFFF, a cut sequence) or `text` is empty. As in the Unicode standard,
/// table 3-7.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

/// Returns the offset of the first ill-formed byte of `text`, or `std::string_view::npos` if all of it is well-formed
/// UTF-8.
std::size_t find_invalid_utf8(std::string_view text) noexcept;

}  // namespace gausscse
