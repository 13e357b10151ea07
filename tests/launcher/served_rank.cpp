// served_rank ARGUMENTS...: a rank of mpiexec. It has program_server run the program with these arguments, with its own
// environment, working folder and outputs, and ends as that run does.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/launcher/served_request.hpp"

int main(int argc, char** argv) {
  const int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  try {
    const int status = gausscse::run_by_server(
        std::getenv(gausscse::server_variable),
        {{argv + 1, argv + argc}, gausscse::own_environment(), 0, {STDOUT_FILENO, STDERR_FILENO, folder}});
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    return WEXITSTATUS(status);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "served_rank: %s\n", error.what());
    return 1;
  }
}
