#include "base/visible_text.hpp"

#include <cstdio>

#include "base/utf8.hpp"

namespace gausscse {

namespace {

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
