#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Returns the end of the word that GPT-2's pattern
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// finds at `begin`: a byte offset over `begin`. `text` is well-formed UTF-8, `begin` < text.size(). The pattern leaves
/// nothing out, so the next word begins there.
std::size_t byte_level_word_end(std::string_view text, std::size_t begin);

}  // namespace gausscse
