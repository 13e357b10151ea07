#include "base/option_name.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::atomic<OptionStyle> style_of_process = OptionStyle::command_line;

}  // namespace

void set_option_style(OptionStyle style) {
  style_of_process = style;
}

OptionStyle option_style() {
  return style_of_process;
}

std::string option_name(std::string_view name) {
  if (option_style() == OptionStyle::command_line) return concat("--", name);
  std::string argument(name);
  std::replace(argument.begin(), argument.end(), '-', '_');
  return argument;
}

std::string flag_name(std::string_view name) {
  return option_style() == OptionStyle::command_line ? option_name(name) : concat(option_name(name), "=True");
}

std::string option_with_value(std::string_view name, std::string_view value) {
  return concat(option_name(name), option_style() == OptionStyle::command_line ? " " : "=", value);
}

}  // namespace gausscse
