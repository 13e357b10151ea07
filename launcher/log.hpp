#pragma once

#include <string>

#include "dist/control_group.hpp"

namespace gausscse {

/// How much is told: errors only; warnings and notes, too (the default); details, too.
enum class Verbosity { errors, notes, details };

/// Sets up the log on standard error; each line has the date and time, and the rank where there are several. Ranks
/// other than 0 tell only errors: what they would say is what rank 0 says. Control characters in messages, as names of
/// files may hold them, are made visible.
void start_log(const ControlGroup& ranks, Verbosity verbosity);

/// Sets up the same log for a worker of a study, which is no rank of anything.
void start_worker_log(Verbosity verbosity);

}  // namespace gausscse
