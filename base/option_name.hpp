#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Way in which users of this process give options: on a command line, or as arguments of a function.
enum class OptionStyle { command_line, arguments };

/// Sets the style of the process, which messages use; `command_line` unless this is called at its start.
void set_option_style(OptionStyle style);
OptionStyle option_style();

/// Returns an option of this name as users write it: "--max-tokens", or "max_tokens" as an argument.
///
///     throw InputError(concat("fp17 is no precision: give ", option_name("precision"), " fp32"));
std::string option_name(std::string_view name);

/// Returns an option without a value, as users give it: "--overwrite", or "overwrite=True" as an argument.
std::string flag_name(std::string_view name);

/// Returns an option with its value: "--max-tokens 24", or "max_tokens=24" as an argument.
std::string option_with_value(std::string_view name, std::string_view value);

}  // namespace gausscse
