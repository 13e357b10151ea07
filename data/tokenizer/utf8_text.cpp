#include "data/tokenizer/utf8_text.hpp"

#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "base/text.hpp"

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

}  // namespace

void append_utf8(char32_t c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, c);
  out.append(bytes, length);
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
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

}  // namespace gausscse
