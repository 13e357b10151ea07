#pragma once

#include <unicode/utf8.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the code point at `offset` of well-formed UTF-8; moves `offset` behind it. `offset` < text.size().
inline char32_t next_code_point(std::string_view text, std::size_t& offset) {
  UChar32 c = 0;
  U8_NEXT_UNSAFE(text.data(), offset, c);
  return static_cast<char32_t>(c);
}

/// Returns the code point that ends at `offset` of well-formed UTF-8; moves `offset` before it. `offset` > 0.
inline char32_t previous_code_point(std::string_view text, std::size_t& offset) {
  UChar32 c = 0;
  U8_PREV_UNSAFE(text.data(), offset, c);
  return static_cast<char32_t>(c);
}

/// Appends `c`, not a surrogate, as UTF-8.
void append_utf8(char32_t c, std::string& out);

/// Returns the number of code points of well-formed UTF-8.
std::size_t count_code_points(std::string_view text);

/// Appends well-formed UTF-8 to `out` in lower case by Unicode's full mapping, as Python's `str.lower()`.
void append_lower_cased(std::string_view text, std::string& out);

/// Appends `bytes` to `out` with each maximal ill-formed part replaced by U+FFFD: what Python's
/// `bytes.decode("utf-8", "replace")` gives.
void append_repaired_utf8(std::string_view bytes, std::string& out);

}  // namespace gausscse
