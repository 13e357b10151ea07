#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

namespace gausscse {

/// Returns the start of a process of this host, in the kernel's ticks since the boot. Nothing where it cannot be found
/// out or no process of this number runs; one that has ended but was not collected by its parent does not run. Number
/// and start together name one process, although numbers are used again.
std::optional<std::uint64_t> start_of_process(std::int64_t number);

/// Returns whether the process of this number that began at `start` has ended; with `start` 0 any of this number. A
/// process that this user may not see counts as running.
bool process_has_ended(std::int64_t number, std::uint64_t start);

/// Returns the process that started `number`; 0 where it cannot be found out.
std::int64_t parent_of_process(std::int64_t number);

/// Returns this machine's name, "unknown" where it has none.
std::string host_name();

/// Returns this process's rank as mpirun or srun says it, before MPI has started; nothing where neither started it.
std::optional<int> rank_in_environment();

/// A number of processes that a launcher started together, as an environment variable of this process says.
struct Siblings {
  std::string variable;  ///< "PMI_SIZE"
  std::string launcher;  ///< "mpiexec of MPICH or Intel MPI"
  int processes = 1;
  /// False for a variable that people set by themselves as well.
  bool is_certain = true;
};

/// Returns the largest such number above `joined`, the number of ranks that MPI joins to this process; nothing where
/// there is none. Where Open MPI's mpirun started the process, its number alone counts: the others are then those of
/// its daemons, or of a step around it.
std::optional<Siblings> siblings_not_joined(int joined);

/// Signals that ask a program to save its work and to end. The terminal was closed (SIGHUP), Ctrl-C (SIGINT), nobody
/// reads the log any more (SIGPIPE). A batch system ends the job (SIGTERM) or warns of its end (SIGUSR2), the limit on
/// processor time is reached (SIGXCPU).
inline constexpr std::array stop_signals = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGUSR2, SIGXCPU};

/// Installs `handler` for a signal, with these flags of sigaction. A hangup or a broken pipe that the program's parent
/// ignores, as nohup ignores hangups, stays ignored.
void handle_signal(int number, void (*handler)(int), int flags);

/// Returns true where `descriptor` is a terminal on which a line can be drawn again: one whose TERM is set and is not
/// "dumb".
bool is_drawing_terminal(int descriptor);

/// Returns the counter of pieces of work that this process has done: a block read or written, a batch embedded, some
/// sentences tokenised, a classifier's pass, a collective. A process that works raises it, one that hangs does not: a
/// thread that shows signs of life looks whether it has risen. Any thread may raise it.
///
///     const std::uint64_t before = work_count();
///     ...
///     if (work_count() != before) show_sign_of_life();
inline std::atomic<std::uint64_t>& work_counter() {
  static std::atomic<std::uint64_t> counter{0};
  return counter;
}

/// Counts a piece of work that has just been done.
inline void count_work() {
  work_counter().fetch_add(1, std::memory_order_relaxed);
}

/// Returns the number of pieces of work that this process has done.
inline std::uint64_t work_count() {
  return work_counter().load(std::memory_order_relaxed);
}

}  // namespace gausscse
