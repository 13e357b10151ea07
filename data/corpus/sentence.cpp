#include "data/corpus/sentence.hpp"

#include <cstddef>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Returns the bytes of the white space that `text` begins with, 0 if it begins with anything else.
std::size_t leading_space(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) == ' ' || (byte(0) >= '\t' && byte(0) <= '\r')) return 1;
  if (byte(0) == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;  // U+0085, U+00A0
  if (byte(0) == 0xE1) return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;  // U+1680
  if (byte(0) == 0xE3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;  // U+3000
  if (byte(0) != 0xE2) return 0;
  if (byte(1) == 0x81) return byte(2) == 0x9F ? 3 : 0;  // U+205F
  if (byte(1) != 0x80) return 0;
  const bool space = (byte(2) >= 0x80 && byte(2) <= 0x8A) || byte(2) == 0xA8 || byte(2) == 0xA9 || byte(2) == 0xAF;
  return space ? 3 : 0;  // U+2000..200A, 2028, 2029, 202F
}

/// Returns the bytes of the white space that `text` ends with, 0 if it ends with anything else.
std::size_t trailing_space(std::string_view text) {
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    if (leading_space(text.substr(text.size() - length)) == length) return length;
  }
  return 0;
}

/// Returns the bytes of the separator that `text` begins with: one at which Python's `str.split` splits.
std::size_t leading_gap(std::string_view text) {
  return !text.empty() && text.front() >= '\x1C' && text.front() <= '\x1F' ? 1 : leading_space(text);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (const std::size_t length = leading_space(text)) text.remove_prefix(length);
  while (const std::size_t length = trailing_space(text)) text.remove_suffix(length);
  return text;
}

std::string_view without_zeros_behind_point(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return text;
  const std::string_view whole = text.substr(0, point), digits = whole.substr(whole.starts_with('-') ? 1 : 0);
  const bool is_whole = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
                        text.find_first_not_of('0', point + 1) == std::string_view::npos;
  return is_whole ? whole : text;
}

std::string_view next_word(std::string_view& text) {
  while (const std::size_t length = leading_gap(text)) text.remove_prefix(length);
  std::size_t end = 0;
  while (end < text.size() && leading_gap(text.substr(end)) == 0) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::string with_single_blanks(std::string_view text) {
  std::string result;
  for (std::string_view word; !(word = next_word(text)).empty();) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

void check_utf8(std::string_view text) {
  const std::size_t bad = find_invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  throw InputError(concat("byte ", bad + 1, " (", quoted(text.substr(bad, 1)),
                          ") is not valid UTF-8: save the file as UTF-8, or mend the line"));
}

std::string_view checked_sentence(std::string_view text, std::string_view name, bool trim) {
  check_utf8(text);
  const std::string_view without_blanks = trimmed(text);
  if (without_blanks.empty()) {
    throw InputError(concat("the sentence ", quoted(name), " is empty", text.empty() ? "" : " (only white space)",
                            ", so it has no meaning to learn from or to compare: remove the line"));
  }
  return trim ? without_blanks : text;
}

}  // namespace gausscse
