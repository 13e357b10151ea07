// Runs the program whenever a test asks for it (served_run.hpp), each time in a fork of this process. It does nothing
// else, so that a run finds what the program finds when it is started: libraries loaded, nothing computed, no thread.
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "launcher/program.hpp"
#include "launcher/run_command.hpp"
#include "tests/launcher/prepare_process.hpp"
#include "tests/launcher/served_request.hpp"

namespace {

using gausscse::testing_support::ServedRequest;

[[noreturn]] void run(std::vector<std::string> arguments) {
  std::string name = "gausscse";
  std::vector<char*> argv{name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  gausscse::end_process(gausscse::run_program(static_cast<int>(argv.size()) - 1, argv.data()));
}

/// Waits for the run, as its parent, and sends its status.
[[noreturn]] void run_and_tell(const ServedRequest& request) {
  const auto& [output, errors, status_of_run] = request.descriptors;
  const pid_t child = fork();
  if (child == 0) {
    gausscse::testing_support::set_streams(output, errors, request.largest_file);
    // A run that is started again has its three streams open and nothing else.
    for (const int descriptor : request.descriptors) close(descriptor);
    run(request.arguments);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) _exit(1);
  _exit(write(status_of_run, &status, sizeof status) == sizeof status ? 0 : 1);
}

}  // namespace

int main() {
  while (const std::optional<ServedRequest> request = gausscse::testing_support::receive_request(STDIN_FILENO)) {
    if (fork() == 0) run_and_tell(*request);
    for (const int descriptor : request->descriptors) close(descriptor);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  while (wait(nullptr) > 0) {
  }
}
