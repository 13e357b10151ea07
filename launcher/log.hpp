#pragma once

#include <string>

#include "dist/control_group.hpp"

namespace gausscse {

/// Amount of log: errors only; warnings and notes, too (the default); details, too.
enum class Verbosity { errors, notes, details };

/// Sets up the log on standard error; each line has the date and time, and the rank where there are several. Ranks
/// other than 0 log only errors, as rank 0 logs all the rest. Control characters in messages, as names of files may
/// hold them, are made visible.
void start_log(const ControlGroup& ranks, Verbosity verbosity);

/// Logs a warning that `--quiet` shows as well, as the output is misread without it.
void warn_always(const std::string& warning);

/// Sets up the same log for a worker of a study, which is no rank of anything.
void start_worker_log(Verbosity verbosity);

}  // namespace gausscse
