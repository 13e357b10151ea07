#include "data/tokenizer/utf8_text.hpp"

#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "data/tokenizer/unicode_properties.hpp"

namespace gausscse {

namespace {

// Bytes of the ill-formed part that `bytes` begins with: the longest prefix of some well-formed sequence, at least 1.
std::size_t ill_formed_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  if (first < 0xC2 || first > 0xF4) return 1;
  // The second byte's range excludes overlong forms, surrogates and values over U+10FFFF.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  const std::size_t needed = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::size_t length = 1;
  while (length < needed && length < bytes.size() && byte(length) >= low && byte(length) <= high) {
    ++length;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

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

constexpr std::array<char32_t, 256> characters_of_bytes = make_characters();

constexpr std::array<unsigned char, replacements> make_replaced_bytes() {
  std::array<unsigned char, replacements> bytes{};
  for (unsigned byte = 0; byte < 256; ++byte)
    if (!is_printable(byte)) bytes[characters_of_bytes[byte] - first_replacement] = static_cast<unsigned char>(byte);
  return bytes;
}

constexpr std::array<unsigned char, replacements> replaced_bytes = make_replaced_bytes();

constexpr std::array<ByteLevelClass, 128> make_ascii_classes() {
  std::array<ByteLevelClass, 128> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const bool number = c >= '0' && c <= '9';
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    classes[c] = letter   ? ByteLevelClass::letter
                 : number ? ByteLevelClass::number
                 : space  ? ByteLevelClass::space
                          : ByteLevelClass::other;
  }
  return classes;
}

constexpr std::array<ByteLevelClass, 128> ascii_classes = make_ascii_classes();

// The class of the code point at `offset`; moves `offset` behind it.
ByteLevelClass next_class(std::string_view text, std::size_t& offset) {
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x80) {
    ++offset;
    return ascii_classes[byte];
  }
  return byte_level_class(next_code_point(text, offset));
}

// Length of 's, 't, 're, 've, 'm, 'll or 'd at the beginning of `text`, or 0.
std::size_t contraction_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\'') return 0;
  switch (text[1]) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return text.size() > 2 && text[2] == 'e' ? 3 : 0;
    case 'l':
      return text.size() > 2 && text[2] == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

}  // namespace

void append_utf8(char32_t c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, c);
  out.append(bytes, length);
}

void append_lower_cased(std::string_view text, std::string& out) {
  const icu::StringPiece bytes(text.data(), static_cast<std::int32_t>(text.size()));
  icu::UnicodeString::fromUTF8(bytes).toLower(icu::Locale::getRoot()).toUTF8String(out);
}

void append_repaired_utf8(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const std::size_t valid = std::min(find_invalid_utf8(bytes), bytes.size());
    out += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    append_utf8(0xFFFD, out);
    bytes.remove_prefix(ill_formed_length(bytes));
  }
}

char32_t byte_level_character(unsigned char byte) {
  return characters_of_bytes[byte];
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

std::size_t byte_level_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text.substr(begin))) return begin + length;
  std::size_t end = begin;
  ByteLevelClass kind = next_class(text, end);
  if (text[begin] == ' ' && end < text.size()) {
    // One space goes with the word that follows it.
    std::size_t behind = end;
    const ByteLevelClass next = next_class(text, behind);
    if (next != ByteLevelClass::space) {
      kind = next;
      end = behind;
    }
  }
  std::size_t last = begin;  // where the run's last code point begins
  while (end < text.size()) {
    std::size_t behind = end;
    if (next_class(text, behind) != kind) break;
    last = end;
    end = behind;
  }
  // \s+(?!\S): the last space before a word is left to it, unless it is all there is.
  if (kind == ByteLevelClass::space && end < text.size() && last != begin) return last;
  return end;
}

}  // namespace gausscse
