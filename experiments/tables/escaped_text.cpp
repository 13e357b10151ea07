#include "experiments/tables/escaped_text.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/tables/latex_characters.hpp"

namespace gausscse {

namespace {

std::string formatted(const char* format, std::uint32_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(value));
  return text;
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

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Returns whether a spreadsheet computes a cell with this text instead of showing it.
bool begins_a_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

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
  const std::string visible = concat(begins_a_formula(text) ? "'" : "", visible_lines(text));
  const bool plain =
      visible.find_first_of(",\"\n") == std::string::npos && !visible.starts_with(' ') && !visible.ends_with(' ');
  if (plain) return visible;
  std::string field = "\"";
  for (const char c : visible) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace gausscse
