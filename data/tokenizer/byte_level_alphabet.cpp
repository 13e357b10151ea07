#include "data/tokenizer/byte_level_alphabet.hpp"

#include <array>

#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

constexpr char32_t first_replacement = 0x100;
constexpr std::size_t replacements = 68;  // bytes that are not printable

constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = first_replacement;
  for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = is_printable(byte) ? byte : next++;
  return characters;
}

constexpr std::array<char32_t, 256> characters = make_characters();

constexpr std::array<unsigned char, replacements> make_replaced_bytes() {
  std::array<unsigned char, replacements> bytes{};
  for (unsigned byte = 0; byte < 256; ++byte)
    if (!is_printable(byte)) bytes[characters[byte] - first_replacement] = static_cast<unsigned char>(byte);
  return bytes;
}

constexpr std::array<unsigned char, replacements> replaced_bytes = make_replaced_bytes();

}  // namespace

char32_t byte_level_character(unsigned char byte) {
  return characters[byte];
}

std::optional<std::string> byte_level_bytes(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size();) {
    const char32_t c = next_code_point(token, i);
    if (c < first_replacement && is_printable(c)) {
      bytes.push_back(static_cast<char>(c));
    } else if (c >= first_replacement && c < first_replacement + replacements) {
      bytes.push_back(static_cast<char>(replaced_bytes[c - first_replacement]));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace gausscse
