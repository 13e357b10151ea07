#pragma once

#include <optional>

#include "experiments/processes/child_process.hpp"
#include "results/error_report.hpp"

namespace gausscse {

/// Side that is at fault when a trial's program fails.
enum class FailureClass {
  trial,   ///< it would fail again anywhere: recorded, and not tried again unasked
  machine  ///< a fault of disk, memory, host or somebody's signal: not recorded, the trial goes on later
};

/// Returns the class of an end that was no success. `report` is the program's, where it left one; `has_begun` is true
/// if it came to its work at all. The first line that applies decides:
///
///  - the program reported an error of kind input or internal: trial
///  - it reported another kind (write, memory, system): machine
///  - a signal that a program brings upon itself (SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP) ended it, or a
///    rank of it (exit code 128 + signal), after it had begun: trial
///  - anything else: machine. It was killed, the launcher failed, its libraries are missing, or it had no room for a
///    report.
FailureClass class_of_failure(const ChildEnd& end, const std::optional<ErrorReport>& report, bool has_begun);

}  // namespace gausscse
