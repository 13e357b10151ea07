#include "experiments/processes/child_process.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

/// Lets the system keep exit codes: it keeps none of a child whose parent ignores this signal.
void keep_exit_codes() {
  struct sigaction action {};
  if (sigaction(SIGCHLD, nullptr, &action) != 0) return;
  if (action.sa_handler != SIG_IGN && (action.sa_flags & SA_NOCLDWAIT) == 0) return;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  action.sa_flags &= ~SA_NOCLDWAIT;
  sigaction(SIGCHLD, &action, nullptr);
}

[[noreturn]] void throw_unknown_end(pid_t id) {
  throw SystemError(concat("process ", id, ": the system does not report how it ended: ", errno_text(errno)));
}

}  // namespace

std::string to_text(const ChildEnd& end) {
  if (end.signal == 0) return concat("exit code ", end.exit_code);
  const char* description = sigdescr_np(end.signal);
  return concat("signal ", end.signal, " (", description ? description : "unknown", ")");
}

ChildProcess::ChildProcess(const ChildCommand& command) {
  keep_exit_codes();
  id_ = start_child(command);
}

ChildProcess::~ChildProcess() {
  if (end_) return;
  send_to_group(SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<ChildEnd> ChildProcess::ask(int options) {
  if (end_) return end_;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT | options) != 0)
    if (errno != EINTR) throw_unknown_end(id_);
  if (info.si_pid == 0) return std::nullopt;
  // Until it is waited for, no other group can have its number.
  send_to_group(SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(id_, &status, 0, &usage) < 0)
    if (errno != EINTR) throw_unknown_end(id_);
  ChildEnd end;
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.exit_code = WEXITSTATUS(status);
  end.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  end_ = end;
  return end_;
}

std::optional<ChildEnd> ChildProcess::poll() {
  return ask(WNOHANG);
}

ChildEnd ChildProcess::wait() {
  return *ask(0);
}

void ChildProcess::send(int signal) const {
  if (!end_) kill(id_, signal);
}

void ChildProcess::send_to_group(int signal) const {
  if (!end_) kill(-id_, signal);
}

std::unique_ptr<Child> Host::start(const ChildCommand& command) const {
  return std::make_unique<ChildProcess>(command);
}

const Host& real_host() {
  static const Host host;
  return host;
}

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
  const bool is_own = is_among(own_signals, signal_of(end));
  return is_own && has_begun ? FailureClass::trial : FailureClass::machine;
}

}  // namespace gausscse
