#include "dist/mpi/end_guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace gausscse::detail {

namespace {

constexpr int guard_interval = 100;  ///< milliseconds

/// Runs in the child of a process with several threads: makes only calls that are safe in handlers of signals.
[[noreturn]] void guard(pid_t rank, int rank_is_out, double seconds, const std::string& text) {
  pollfd out{rank_is_out, POLLIN, 0};
  // Intervals are counted, as in PhaseWatch: a job that was suspended and goes on has not waited meanwhile.
  for (double waited = 0; waited <= seconds; waited += guard_interval / 1000.0)
    if (::poll(&out, 1, guard_interval) > 0) ::_exit(0);
  // A rank that has ended has closed its end of the pipe.
  if (::getppid() != rank) ::_exit(0);
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(1);
  ::kill(rank, SIGKILL);
  ::_exit(0);
}

}  // namespace

EndGuard::EndGuard(double seconds, const std::string& text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t rank = ::getpid();
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[1]);
    guard(rank, ends[0], seconds, text);
  }
  ::close(ends[0]);
  rank_is_in_ = ends[1];
}

EndGuard::~EndGuard() {
  if (rank_is_in_ >= 0) ::close(rank_is_in_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

}  // namespace gausscse::detail
