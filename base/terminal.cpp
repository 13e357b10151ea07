#include "base/terminal.hpp"

#include <sys/ioctl.h>

#include <algorithm>

namespace gausscse {

namespace {

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

TerminalSize size_of_terminal(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_a_character(byte); }));
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  std::string result;
  std::size_t used = 0;
  for (const char byte : text) {
    if (!continues_a_character(byte) && used++ == columns) break;
    result += byte;
  }
  return result;
}

std::string filled_to_columns(std::string_view text, std::size_t columns) {
  std::string result = cut_to_columns(text, columns);
  return result + std::string(columns - columns_of(result), ' ');
}

}  // namespace gausscse
