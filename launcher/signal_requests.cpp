#include "launcher/signal_requests.hpp"

#include <atomic>
#include <csignal>

namespace gausscse {

namespace {

// Handlers run on any thread; lock-free atomics are allowed in them.
std::atomic<int> checkpoint_asked = 0;
std::atomic<int> stop_asked = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void ask_checkpoint(int) {
  checkpoint_asked = 1;
}

extern "C" void ask_stop(int number) {
  stop_asked = number;
  if (number == SIGUSR2) return;
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

SignalRequests::SignalRequests() {
  handle(SIGUSR1, ask_checkpoint);
  handle(SIGUSR2, ask_stop);
  handle(SIGTERM, ask_stop);
  handle(SIGINT, ask_stop);
}

SignalRequests::~SignalRequests() {
  // A late one must not kill what was finished.
  handle(SIGUSR1, SIG_IGN);
  handle(SIGUSR2, SIG_IGN);
  handle(SIGTERM, SIG_DFL);
  handle(SIGINT, SIG_DFL);
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
