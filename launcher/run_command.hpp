#pragma once

#include <functional>
#include <string_view>

namespace gausscse {

/// Runs the subcommand `name` by `command`, which returns the program's exit code. An error that it throws is printed
/// on standard error, with the rank, and ends all ranks, with exit code 2 for what a user can put right (InputError,
/// WriteError, a path without permission or room), else 1. Where all ranks run into the same error, the lowest one
/// prints it.
int run_command(std::string_view name, const std::function<int()>& command);

}  // namespace gausscse
