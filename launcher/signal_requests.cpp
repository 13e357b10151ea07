#include "launcher/signal_requests.hpp"

#include <csignal>

namespace gausscse {

namespace {

volatile std::sig_atomic_t checkpoint_asked = 0;
volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_checkpoint(int) {
  checkpoint_asked = 1;
}

extern "C" void ask_stop(int number) {
  stop_asked = number;
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

SignalRequests::SignalRequests() {
  handle(SIGUSR1, ask_checkpoint, SA_RESTART);
  handle(SIGUSR2, ask_stop, SA_RESTART);
  handle(SIGTERM, ask_stop, static_cast<int>(SA_RESTART | SA_RESETHAND));
  handle(SIGINT, ask_stop, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

SignalRequests::~SignalRequests() {
  // A late one must not kill what was finished.
  handle(SIGUSR1, SIG_IGN, 0);
  handle(SIGUSR2, SIG_IGN, 0);
  handle(SIGTERM, SIG_DFL, 0);
  handle(SIGINT, SIG_DFL, 0);
}

bool SignalRequests::take_checkpoint() {
  const bool asked = checkpoint_asked != 0;
  checkpoint_asked = 0;
  return asked;
}

bool SignalRequests::stop() {
  return stop_asked != 0;
}

int SignalRequests::stop_signal() {
  return stop_asked != 0 ? stop_asked : SIGTERM;
}

}  // namespace gausscse
