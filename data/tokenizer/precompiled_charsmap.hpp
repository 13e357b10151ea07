#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// SentencePiece's table of replacements of characters, as a tokenizer.json holds it in base64. It is
///
///     size of the trie in bytes (4 bytes) | trie, a double array of 32-bit units | replacements, each ends with a zero
///
/// all numbers with the lowest byte first. The trie's keys are strings, its values offsets of their replacements. A
/// unit of the trie, as the library darts-clone lays it out, has the label of the byte that leads to it, the offset by
/// which its children are found, and whether a key ends there. A value is a unit of its own.
class PrecompiledCharsmap {
 public:
  /// Reads the table. Throws InputError, naming `where`, for text that is no base64 and a table that is not whole or
  /// points outside of itself.
  PrecompiledCharsmap(std::string_view base64, const std::string& where);

  /// Appends the text with all replacements to `out`, unless there are none; returns whether it appended. `text` is
  /// well-formed UTF-8. As in the `tokenizers` library a grapheme cluster of fewer than 6 bytes is replaced as a whole,
  /// by the replacement of its shortest beginning that has one. Otherwise each of its characters is replaced.
  bool append_replaced(std::string_view text, std::string& out) const;

 private:
  std::optional<std::string_view> find(std::string_view piece) const;
  std::size_t plain_end(std::string_view text, std::size_t begin) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  std::array<bool, 128> is_plain_{};  // an ASCII character without a replacement; \r may have one with \n
};

}  // namespace gausscse
