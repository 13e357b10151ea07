#include "base/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gausscse {

namespace {

/// Three hundred years; more is not to be meant.
constexpr double longest_duration = 1e10;

constexpr bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

bool is_within(std::uint32_t value, std::uint32_t first, std::uint32_t last) {
  return value >= first && value <= last;
}

/// Returns whether a character does something other than show itself.
bool acts(std::uint32_t c) {
  return c < 0x20 || is_within(c, 0x7F, 0x9F) || c == 0x061C || is_within(c, 0x200B, 0x200F) ||
         is_within(c, 0x2028, 0x202E) || is_within(c, 0x2060, 0x206F) || c == 0xFEFF || is_within(c, 0xFFF9, 0xFFFB) ||
         is_within(c, 0xE0000, 0xE007F);
}

std::string formatted(const char* format, std::uint32_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(value));
  return text;
}

std::string name_of_action(std::uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  return formatted("\\u{%X}", c);
}

/// Control characters that stay as they are.
enum class Kept { nothing, lines };

std::string made_visible(std::string_view text, Kept kept) {
  std::string visible;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      visible += formatted("\\x%02X", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t c = code_point_of(text.substr(0, length));
    if (acts(c) && !(kept == Kept::lines && (c == '\n' || c == '\t')))
      visible += name_of_action(c);
    else
      visible += text.substr(0, length);
    text.remove_prefix(length);
  }
  return visible;
}

}  // namespace

std::string readable_duration(double seconds) {
  const auto whole = static_cast<long>(seconds > 0 ? std::min(seconds, longest_duration) + 0.5 : 0);
  char text[48];
  if (whole < 60)
    std::snprintf(text, sizeof text, "%lds", whole);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ldh%02ldm", whole / 3600, whole % 3600 / 60);
  return text;
}

std::size_t utf8_sequence_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return text.size() >= 2 && is_continuation(byte(1)) ? 2 : 0;
  if (first < 0xF0) {
    if (text.size() < 3 || !is_continuation(byte(1)) || !is_continuation(byte(2))) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (text.size() < 4 || !is_continuation(byte(1)) || !is_continuation(byte(2)) || !is_continuation(byte(3))) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return 4;
}

std::size_t code_points(std::string_view text) noexcept {
  const auto begins = [](char c) { return !is_continuation(static_cast<unsigned char>(c)); };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::size_t find_invalid_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    // Most text is ASCII.
    for (unsigned long long words[4]; i + sizeof words <= text.size(); i += sizeof words) {
      std::memcpy(words, text.data() + i, sizeof words);
      if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ULL) != 0) break;
    }
    if (i == text.size()) break;
    if (text.size() >= 8) {
      // The last eight bytes may begin before `i`.
      const std::size_t begin = std::min(i, text.size() - 8);
      unsigned long long word;
      std::memcpy(&word, text.data() + begin, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        i = begin + 8;
        continue;
      }
    }
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::uint32_t code_point_of(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0x7Fu >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) value = (value << 6) | (byte(i) & 0x3Fu);
  return value;
}

std::string visible_text(std::string_view text) {
  return made_visible(text, Kept::nothing);
}

std::string visible_lines(std::string_view text) {
  return made_visible(text, Kept::lines);
}

}  // namespace gausscse
