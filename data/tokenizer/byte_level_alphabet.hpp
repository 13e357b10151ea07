#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the printable character by which GPT-2 writes a byte in vocab.json and merges.txt: itself where it is
/// printable Latin-1, else one from U+0100 on.
char32_t byte_level_character(unsigned char byte);

/// Returns the bytes that a token represents, or nothing if it has a character that represents no byte.
std::optional<std::string> byte_level_bytes(std::string_view token);

}  // namespace gausscse
