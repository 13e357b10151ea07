#pragma once

#include <sys/types.h>

#include "experiments/processes/child_process.hpp"

namespace gausscse {

/// Starts the command's program in its own process group, and returns once it runs. Throws as the constructor of
/// `ChildProcess`; no process is left then.
pid_t start_child(const ChildCommand& command);

}  // namespace gausscse
