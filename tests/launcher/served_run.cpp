#include "tests/launcher/served_run.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "tests/launcher/prepare_process.hpp"
#include "tests/launcher/served_request.hpp"

namespace gausscse {

namespace {

void check(bool done, const char* what) {
  if (!done) throw std::runtime_error(concat("program_server: ", what, ": ", std::strerror(errno)));
}

/// The process that runs are forks of. It has the listening socket as its standard input, and ends when nobody is left
/// to read its standard output.
class Server {
 public:
  explicit Server(const char* program) {
    const FileDescriptor listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    // The system chooses an abstract name for an address without one.
    sockaddr_un address{AF_UNIX, {}};
    socklen_t size = sizeof(sa_family_t);
    check(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0, "bind");
    size = sizeof address;
    check(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
    name_.assign(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
    check(listen(listener.get(), SOMAXCONN) == 0, "listen");
    int ends[2];
    check(pipe2(ends, O_CLOEXEC) == 0, "pipe2");
    reads_ = FileDescriptor(ends[0]);
    const FileDescriptor writes(ends[1]);
    process_ = fork();
    check(process_ >= 0, "fork");
    if (process_ == 0) {
      set_program_environment();
      dup2(listener.get(), STDIN_FILENO);
      dup2(writes.get(), STDOUT_FILENO);
      execl(program, program, nullptr);
      _exit(127);
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    reads_ = FileDescriptor();
    waitpid(process_, nullptr, 0);
  }

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  FileDescriptor reads_;
  pid_t process_ = -1;
};

}  // namespace

const std::string& server_name(const std::vector<std::string>& arguments) {
  constexpr std::array commands_with_libtorch{"train", "eval", "geometry", "doctor"};
  const auto command = std::ranges::find_if_not(arguments, [](const auto& text) { return text.starts_with('-'); });
  if (command != arguments.end() &&
      std::ranges::find(commands_with_libtorch, *command) != commands_with_libtorch.end()) {
    static const Server server(GAUSSCSE_PROGRAM_SERVER);
    return server.name();
  }
  static const Server server(GAUSSCSE_OWN_PROGRAM_SERVER);
  return server.name();
}

int run_served(const std::vector<std::string>& arguments, const std::vector<std::pair<std::string, std::string>>& more,
               std::uint64_t largest_file, int output, int errors) {
  const FileDescriptor folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  ServedRequest request{arguments, own_environment(), largest_file, {output, errors, folder.get()}};
  for (const auto& [name, value] : program_environment) request.environment.push_back(concat(name, "=", value));
  for (const auto& [name, value] : more) request.environment.push_back(concat(name, "=", value));
  return run_by_server(server_name(arguments), request);
}

}  // namespace gausscse
