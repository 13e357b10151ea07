#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gausscse {

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
