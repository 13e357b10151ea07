#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gausscse {

/// Adds --calibration FILE of commands that give probabilities.
CLI::Option* add_calibration_option(CLI::App& command, std::string& file);

/// Adds --calibrator, with this description.
CLI::Option* add_calibrator_option(CLI::App& command, std::string& name, const std::string& description);

/// Adds --risk, with this description: a number over 0 and under 1.
CLI::Option* add_risk_option(CLI::App& command, double& risk, const std::string& description);

}  // namespace gausscse
