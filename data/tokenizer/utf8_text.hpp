#pragma once

#include <unicode/utf8.h>

#include <cstddef>
#include <optional>
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

/// Appends well-formed UTF-8 to `out` in lower case by Unicode's full mapping, as Python's `str.lower()`.
void append_lower_cased(std::string_view text, std::string& out);

/// Appends `bytes` to `out` with each maximal ill-formed part replaced by U+FFFD, as Python's `bytes.decode("utf-8",
/// "replace")` does.
void append_repaired_utf8(std::string_view bytes, std::string& out);

/// Returns the printable character by which GPT-2 writes a byte in vocab.json and merges.txt: itself where it is
/// printable Latin-1, else one from U+0100 on.
char32_t byte_level_character(unsigned char byte);

/// Returns the bytes that a token represents, or nothing if it has a character that represents no byte.
std::optional<std::string> byte_level_bytes(std::string_view token);

/// Returns the end of the word that GPT-2's pattern
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// finds at `begin`: a byte offset over `begin`. `text` is well-formed UTF-8, `begin` < text.size(). The pattern leaves
/// nothing out, so the next word begins there.
std::size_t byte_level_word_end(std::string_view text, std::size_t begin);

}  // namespace gausscse
