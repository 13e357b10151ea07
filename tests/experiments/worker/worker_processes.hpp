#pragma once

#include <csignal>

#include "experiments/processes/child_process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Processes of workers of one study, which a test kills and puts to sleep.
class WorkerProcesses {
 public:
  /// Starts `count` of them; `command` starts the one with this number.
  WorkerProcesses(std::size_t count, std::function<ChildCommand(std::size_t number)> command)
      : command_(std::move(command)), processes_(count), logs_(count), asleep_(count, false) {
    for (std::size_t i = 0; i < count; ++i) start(i);
  }

  /// Kills one with SIGKILL, and puts another in its place; does nothing where it has ended.
  void kill(std::size_t number) {
    if (processes_[number]) start(number);
  }
  void put_to_sleep(std::size_t number) {
    if (!processes_[number]) return;
    processes_[number]->send(SIGSTOP);
    asleep_[number] = true;
  }
  void wake_all() {
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (asleep_[i] && processes_[i]) processes_[i]->send(SIGCONT);
    asleep_.assign(processes_.size(), false);
  }

  /// Returns the number of the worker that is this process.
  std::optional<std::size_t> number_of(pid_t id) const {
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (processes_[i] && processes_[i]->id() == id) return i;
    return std::nullopt;
  }

  /// Returns the numbers of all processes that were started.
  const std::vector<pid_t>& ids() const { return ids_; }

  /// Returns whether some are left that have not ended. One that ended with anything but 0 or 1, some failed, is a
  /// failure.
  bool run() {
    bool some = false;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      std::unique_ptr<ChildProcess>& process = processes_[i];
      if (!process) continue;
      if (const std::optional<ChildEnd> end = process->poll()) {
        EXPECT_TRUE(end->signal == 0 && end->exit_code <= 1) << to_text(*end) << "\n" << errors_in(logs_[i]);
        process.reset();
      }
      some |= process != nullptr;
    }
    return some;
  }

 private:
  /// Returns the lines of a log, which workers may share, that report an error.
  static std::string errors_in(const std::filesystem::path& log) {
    std::string errors;
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);)
      if (line.find("error: ") != std::string::npos) errors += line + "\n";
    return errors;
  }

  void start(std::size_t number) {
    processes_[number].reset();  // kills it
    const ChildCommand command = command_(number);
    logs_[number] = command.log;
    processes_[number] = std::make_unique<ChildProcess>(command);
    ids_.push_back(processes_[number]->id());
    asleep_[number] = false;
  }

  std::function<ChildCommand(std::size_t)> command_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;
  std::vector<std::filesystem::path> logs_;
  std::vector<bool> asleep_;
  std::vector<pid_t> ids_;
};

}  // namespace gausscse
