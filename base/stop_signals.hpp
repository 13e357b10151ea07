#pragma once

#include <array>
#include <csignal>

namespace gausscse {

/// Signals that ask a program to save its work and to end: the terminal was closed (SIGHUP), Ctrl-C (SIGINT), nobody
/// reads the log any more (SIGPIPE), a batch system ends the job (SIGTERM) or warns of its end (SIGUSR2), the limit on
/// processor time is reached (SIGXCPU).
inline constexpr std::array stop_signals = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGUSR2, SIGXCPU};

/// Installs `handler` for a signal, with these flags of sigaction. A hangup or a broken pipe that the program's parent
/// ignores, as nohup ignores hangups, stays ignored.
void handle_signal(int number, void (*handler)(int), int flags);

}  // namespace gausscse
