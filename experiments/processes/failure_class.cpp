#include "experiments/processes/failure_class.hpp"

#include <algorithm>
#include <array>
#include <csignal>

namespace gausscse {

namespace {

constexpr std::array own_signals = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP};

/// Shells, mpirun and srun have it so.
constexpr int signalled = 128;

int signal_of(const ChildEnd& end) {
  return end.signal != 0 ? end.signal : end.exit_code - signalled;
}

}  // namespace

FailureClass class_of_failure(const ChildEnd& end, const std::optional<ErrorReport>& report, bool has_begun) {
  if (report)
    return report->kind == ErrorKind::input || report->kind == ErrorKind::internal ? FailureClass::trial
                                                                                   : FailureClass::machine;
  const bool is_own = std::find(own_signals.begin(), own_signals.end(), signal_of(end)) != own_signals.end();
  return is_own && has_begun ? FailureClass::trial : FailureClass::machine;
}

}  // namespace gausscse
