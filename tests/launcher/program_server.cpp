// Runs the program whenever a test or a rank asks for it (served_request.hpp), each time in a fork of this process. It
// does nothing else, so that a run finds the state of a program at its start: libraries loaded, nothing computed, no
// thread. Standard input is the socket that it listens at; it ends when nobody is left to read its standard output.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "launcher/program.hpp"
#include "launcher/run_command.hpp"
#include "tests/launcher/prepare_process.hpp"
#include "tests/launcher/served_request.hpp"

namespace {

using gausscse::ServedRequest;

[[noreturn]] void run(ServedRequest request) {
  clearenv();
  for (std::string& variable : request.environment) putenv(variable.data());
  const auto& [output, errors, folder] = request.descriptors;
  gausscse::set_streams(output, errors, request.largest_file);
  if (fchdir(folder) != 0) _exit(1);
  // A run that is started again has its three streams open and nothing else.
  for (const int descriptor : request.descriptors) close(descriptor);
  std::string name = "gausscse";
  std::vector<char*> argv{name.data()};
  for (std::string& argument : request.arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  gausscse::end_process(gausscse::run_program(static_cast<int>(argv.size()) - 1, argv.data()));
}

/// Waits for the run, as its parent, and sends its status. Kills it where the other end of the connection is closed.
[[noreturn]] void run_and_report(const ServedRequest& request, int connection) {
  const pid_t child = fork();
  if (child < 0) _exit(1);
  if (child == 0) {
    close(connection);
    run(request);
  }
  for (const int descriptor : request.descriptors) close(descriptor);
  pollfd ends[] = {{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0}, {connection, 0, 0}};
  poll(ends, 2, -1);
  if (ends[1].revents != 0) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  _exit(send(connection, &status, sizeof status, MSG_NOSIGNAL) == sizeof status ? 0 : 1);
}

}  // namespace

int main() {
  pollfd ends[] = {{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
  while (poll(ends, 2, -1) > 0 && ends[1].revents == 0) {
    const int connection = accept4(STDIN_FILENO, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (const std::optional<ServedRequest> request = gausscse::receive_request(connection)) {
      if (fork() == 0) run_and_report(*request, connection);
      for (const int descriptor : request->descriptors) close(descriptor);
    }
    close(connection);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  while (wait(nullptr) > 0) {
  }
}
