#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gausscse {

/// Returns the manual page gausscse(1) of the program `app` in troff: each command with its options and examples.
std::string man_page(const CLI::App& app);

}  // namespace gausscse
