#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/processes/child_process.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Message of a child to its parent on a start that failed.
struct StartFailure {
  enum Call : int { change_folder, execute } call;
  int error;
};

/// All that the child needs between fork and exec, made before: nothing may be allocated there.
struct PreparedStart {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string folder;
  bool confined = false;
  cpu_set_t cores;
  FileDescriptor input, log, answer;
  pid_t parent = 0;
};

std::vector<std::string> variables_of(const ChildCommand& command) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    const auto changes = [&](const auto& change) { return change.first == name; };
    if (std::none_of(command.environment.begin(), command.environment.end(), changes)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment)
    if (value) variables.push_back(concat(name, "=", *value));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns the file under a number above the standard ones, in whose places the child puts other files.
FileDescriptor above_standard(FileDescriptor file) {
  if (file.get() < 0 || file.get() > STDERR_FILENO) return file;
  return FileDescriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// Opens the log. A symbolic link is not followed and no pipe is waited for: others may write to the log's folder.
FileDescriptor open_log(const fs::path& path) {
  FileDescriptor log = above_standard(FileDescriptor(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666)));
  if (log.get() < 0)
    throw WriteError(concat(path.string(), ": the log cannot be opened: ", errno_text(errno),
                            file_calls::write_remedy(path, errno)));
  struct stat status {};
  if (fstat(log.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw WriteError(concat(path.string(), ": the log cannot be opened: it is no regular file: remove it"));
  return log;
}

[[noreturn]] void throw_no_start(const ChildCommand& command, int error, const std::string& advice) {
  throw SystemError(concat(command.words.front(), " cannot be started: ", errno_text(error), advice));
}

PreparedStart prepare(const ChildCommand& command) {
  GAUSSCSE_CHECK(!command.words.empty() && !command.words.front().empty(), "a command without a program");
  PreparedStart start;
  start.words = command.words;
  start.variables = variables_of(command);
  start.arguments = pointers_to(start.words);
  start.environment = pointers_to(start.variables);
  start.folder = command.folder.string();
  start.confined = !command.cores.empty();
  CPU_ZERO(&start.cores);
  for (const int core : command.cores) CPU_SET(static_cast<std::size_t>(core), &start.cores);
  start.log = open_log(command.log);
  start.input = above_standard(FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)));
  if (start.input.get() < 0) throw SystemError(concat("/dev/null cannot be opened: ", errno_text(errno)));
  start.parent = getpid();
  return start;
}

[[noreturn]] void fail(const PreparedStart& start, StartFailure::Call call, int error) {
  const StartFailure failure{call, error};
  // Where even this is refused, the exit code is all that the parent sees.
  const ssize_t written = write(start.answer.get(), &failure, sizeof failure);
  _exit(written == sizeof failure ? 127 : 126);
}

/// Restores signals: this process's handlers and ignored signals are none of the program's.
void restore_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    if (number == SIGHUP && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Does the child's part: async-signal-safe calls alone, as another thread may have held any lock when it was made.
[[noreturn]] void run(const PreparedStart& start) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != start.parent) _exit(127);  // it died before
  dup2(start.input.get(), STDIN_FILENO);
  dup2(start.log.get(), STDOUT_FILENO);
  dup2(start.log.get(), STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  // A refusal leaves all cores: slower, not wrong.
  if (start.confined) sched_setaffinity(0, sizeof start.cores, &start.cores);
  if (!start.folder.empty() && chdir(start.folder.c_str()) != 0) fail(start, StartFailure::change_folder, errno);
  restore_signals();
  // glibc's allocates nothing. A program that may not be executed is passed over for one that may.
  execvpe(start.arguments.front(), start.arguments.data(), start.environment.data());
  fail(start, StartFailure::execute, errno);
}

/// Makes a process without letting this one's handlers run in it.
pid_t fork_without_signals(const PreparedStart& start) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) run(start);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

ssize_t read_again(int descriptor, void* bytes, std::size_t count) {
  while (true) {
    const ssize_t read_bytes = read(descriptor, bytes, count);
    if (read_bytes >= 0 || errno != EINTR) return read_bytes;
  }
}

std::string advice_for(const ChildCommand& command, const StartFailure& failure) {
  if (failure.call == StartFailure::change_folder) return concat(" (in the folder ", command.folder.string(), ")");
  if (failure.error == ENOENT && command.words.front().find('/') == std::string::npos) return " (in no folder of PATH)";
  return "";
}

}  // namespace

pid_t start_child(const ChildCommand& command) {
  PreparedStart start = prepare(command);
  // Closed by exec: no answer is a good one.
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_no_start(command, errno, " (no pipe can be made)");
  const FileDescriptor question = above_standard(FileDescriptor(ends[0]));
  start.answer = above_standard(FileDescriptor(ends[1]));
  const pid_t child = fork_without_signals(start);
  if (child < 0) throw_no_start(command, errno, " (no process can be made; see ulimit -u)");
  start.answer = FileDescriptor();
  StartFailure failure{};
  if (read_again(question.get(), &failure, sizeof failure) != sizeof failure) return child;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  throw_no_start(command, failure.error, advice_for(command, failure));
}

}  // namespace gausscse
