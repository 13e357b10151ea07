#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gausscse {

/// Adds --calibration FILE of commands that give probabilities.
CLI::Option* add_calibration_option(CLI::App& command, std::string& file);

}  // namespace gausscse
