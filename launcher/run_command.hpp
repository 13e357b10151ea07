#pragma once

#include <functional>
#include <string_view>

namespace gausscse {

/// Ends a process whose work is done and whose files are closed. Static objects are not destroyed: LibTorch would take
/// a third of a short command's time for that. Builds for sanitizers and coverage, which look around at the end, exit
/// in the ordinary way.
[[noreturn]] void end_process(int exit_code);

/// Runs the subcommand `name` by `command`, which returns the program's exit code. An error that it throws is printed
/// on standard error, with the rank, and ends all ranks. The exit code is 2 for errors that a user can put right
/// (InputError, WriteError, a path without permission or room), else 1. Where all ranks run into the same error, the
/// lowest one prints it.
int run_command(std::string_view name, const std::function<int()>& command);

}  // namespace gausscse
