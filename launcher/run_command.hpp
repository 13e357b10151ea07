#pragma once

#include <functional>

namespace gausscse {

/// Runs what the program does, which gives its exit code. An error that it throws is told on standard error, with the
/// rank, and ends all ranks, with exit code 2 for what a user can put right (InputError, WriteError), else 1. Where all
/// ranks run into the same error, the lowest one tells it.
int run_command(const std::function<int()>& command);

}  // namespace gausscse
