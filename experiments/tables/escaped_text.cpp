#include "experiments/tables/escaped_text.hpp"

#include <cstdint>
#include <cstdio>

#include "base/utf8.hpp"
#include "experiments/tables/latex_characters.hpp"

namespace gausscse {

namespace {

/// Of a well-formed sequence.
std::uint32_t code_point_of(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0x7Fu >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) value = (value << 6) | (byte(i) & 0x3Fu);
  return value;
}

bool is_within(std::uint32_t value, std::uint32_t first, std::uint32_t last) {
  return value >= first && value <= last;
}

/// Whether a character does something other than show itself.
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

/// Calls `visit(code point, its bytes)` for each character of what is visible.
template <typename Visit>
void for_each_visible(std::string_view text, Visit visit) {
  const std::string visible = visible_text(text);
  for (std::string_view rest = visible; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    visit(code_point_of(rest.substr(0, length)), rest.substr(0, length));
    rest.remove_prefix(length);
  }
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      visible += formatted("\\x%02X", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t c = code_point_of(text.substr(0, length));
    if (acts(c))
      visible += name_of_action(c);
    else
      visible += text.substr(0, length);
    text.remove_prefix(length);
  }
  return visible;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for_each_visible(text, [&](std::uint32_t c, std::string_view bytes) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '&')
      escaped += "&amp;";
    else {
      if (c < 0x80 && std::string_view("\\`*_{}[]()#|!~$@").find(static_cast<char>(c)) != std::string_view::npos)
        escaped += '\\';
      escaped += bytes;
    }
  });
  return escaped;
}

std::string latex_text(std::string_view text) {
  std::string escaped;
  for_each_visible(text, [&](std::uint32_t c, std::string_view bytes) {
    if (const char* command = latex_command(c))
      escaped += command;
    else if (c < 0x80 || pdflatex_knows(bytes))
      escaped += bytes;
    else
      escaped += formatted("\\texttt{U+%04X}", c);
  });
  return escaped;
}

std::string csv_field(std::string_view text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace gausscse
