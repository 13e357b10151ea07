#include "launcher/signal_requests.hpp"

#include <atomic>
#include <csignal>

#include "base/process.hpp"

namespace gausscse {

namespace {

// Handlers run on any thread; lock-free atomics are allowed in them.
std::atomic<int> checkpoint_asked = 0;
std::atomic<int> stop_asked = 0;
static_assert(std::atomic<int>::is_always_lock_free);

/// Returns true for the signals that people and batch systems repeat to end a program at once. The others may come
/// several times for one reason. A shell repeats the terminal's hangup, each write to a broken pipe raises SIGPIPE, and
/// each second over the limit of processor time SIGXCPU.
constexpr bool ends_at_once_when_repeated(int number) {
  return number == SIGTERM || number == SIGINT;
}

extern "C" void ask_checkpoint(int) {
  checkpoint_asked = 1;
}

extern "C" void ask_stop(int number) {
  stop_asked = number;
  if (!ends_at_once_when_repeated(number)) return;
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

/// Blocks or unblocks all of the signals for this thread.
void mask_signals(int how) {
  sigset_t all;
  sigemptyset(&all);
  sigaddset(&all, SIGUSR1);
  for (const int number : stop_signals) sigaddset(&all, number);
  pthread_sigmask(how, &all, nullptr);
}

}  // namespace

void SignalRequests::hold() {
  mask_signals(SIG_BLOCK);
}

SignalRequests::SignalRequests() {
  handle_signal(SIGUSR1, ask_checkpoint, SA_RESTART);
  for (const int number : stop_signals) handle_signal(number, ask_stop, SA_RESTART);
  mask_signals(SIG_UNBLOCK);
}

SignalRequests::~SignalRequests() {
  // A late one must not kill a finished run.
  handle_signal(SIGUSR1, SIG_IGN, SA_RESTART);
  for (const int number : stop_signals)
    handle_signal(number, ends_at_once_when_repeated(number) ? SIG_DFL : SIG_IGN, SA_RESTART);
}

bool SignalRequests::take_checkpoint() {
  return checkpoint_asked.exchange(0) != 0;
}

bool SignalRequests::stop() {
  return stop_asked != 0;
}

int SignalRequests::stop_signal() {
  const int asked = stop_asked;
  return asked != 0 ? asked : SIGTERM;
}

}  // namespace gausscse
