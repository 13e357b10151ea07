#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gausscse {

/// Adds --json FILE, which is the same in every command: the answer as JSON, to FILE as well as the text to standard
/// output; "-" is standard output, in place of the text. `what` is the answer, for the help.
CLI::Option* add_json_option(CLI::App& command, std::string& file, const std::string& what = "the printed metrics");

/// Prints `text`, and writes `report` to the file that --json gave, if any; "-": prints `report` alone. Throws
/// WriteError.
void print_with_report(const std::string& text, const std::string& report, const std::string& file);

}  // namespace gausscse
