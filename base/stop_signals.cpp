#include "base/stop_signals.hpp"

namespace gausscse {

void handle_signal(int number, void (*handler)(int), int flags) {
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  if ((number == SIGHUP || number == SIGPIPE) && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace gausscse
