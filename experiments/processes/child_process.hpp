#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/world.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

/// A program to be started, and where.
struct ChildCommand {
  /// The program and its arguments. A program without a slash is looked for in this process's PATH; one with a relative
  /// path starts from `folder`.
  std::vector<std::string> words;
  /// Environment variables to be set, or removed where there is no value; the others are this process's.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::vector<int> cores;        ///< cores that it and its children may run on; empty: as this process
  std::filesystem::path folder;  ///< folder that it runs in; empty: this process's
  std::filesystem::path log;     ///< file that its output and errors are appended to; its input is empty
};

/// End of a child.
struct ChildEnd {
  int exit_code = 0;  ///< 0 to 255; of no meaning where a signal ended it
  int signal = 0;     ///< signal that ended it; 0: none
  /// Resident, of the largest process among it and those of its descendants that were waited for.
  std::uint64_t peak_memory_bytes = 0;

  bool succeeded() const { return signal == 0 && exit_code == 0; }
};

/// Returns "exit code 2", "signal 9 (Killed)".
std::string to_text(const ChildEnd& end);

/// A program that a worker started.
class Child {
 public:
  Child() = default;
  virtual ~Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns its process.
  virtual pid_t id() const = 0;
  /// Returns the end of the process, once it has ended; asks without waiting. Throws SystemError where the system does
  /// not know.
  virtual std::optional<ChildEnd> poll() = 0;
  /// Sends a signal to the process alone (launchers pass SIGUSR2 on), or to its whole group. No effect once its end is
  /// known.
  virtual void send(int signal) const = 0;
  virtual void send_to_group(int signal) const = 0;
};

/// A world (base/world.hpp) whose processes start programs.
class Host : public World {
 public:
  /// Starts a program as a `ChildProcess`.
  virtual std::unique_ptr<Child> start(const ChildCommand& command) const;
};

/// Returns the host that makes the real calls.
const Host& real_host();

/// A child process in its own process group, so that a Ctrl-C of the terminal does not reach it. It has no open files
/// of this process, no blocked signals, and no ignored ones save SIGHUP (nohup). It gets SIGTERM from the kernel when
/// the thread that started it dies (where the system can do that), and is killed with its group by the destructor if it
/// still runs. When it ends, other processes of its group are killed.
class ChildProcess : public Child {
 public:
  /// Throws SystemError, with the system's text, where the program cannot be started: it is missing, may not be
  /// executed, its folder is missing, no process can be made. Throws WriteError where the log cannot be opened.
  explicit ChildProcess(const ChildCommand& command);
  ~ChildProcess() override;

  pid_t id() const override { return id_; }
  std::optional<ChildEnd> poll() override;
  /// Waits for its end.
  ChildEnd wait();
  void send(int signal) const override;
  void send_to_group(int signal) const override;

 private:
  std::optional<ChildEnd> ask(int options);

  pid_t id_ = -1;
  std::optional<ChildEnd> end_;
};

/// Starts the command's program in its own process group, and returns once it runs. Throws as the constructor of
/// `ChildProcess`; no process is left then.
pid_t start_child(const ChildCommand& command);

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
