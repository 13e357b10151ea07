#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gausscse {

/// Returns the message for a command line that `app` refused with `error`, with a suggestion where a command or an
/// option is mistyped: "unknown command \"trian\", did you mean \"train\"?".
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error);

/// Returns the message for arguments that begin with the home folder as only a shell writes it, such as
/// `--results=~/runs`: shells expand it neither in quotes nor behind an equals sign. Empty: nothing.
std::string unexpanded_argument(const std::vector<std::string>& arguments);

}  // namespace gausscse
