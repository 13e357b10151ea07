#include "tests/launcher/served_run.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "tests/launcher/prepare_process.hpp"
#include "tests/launcher/served_request.hpp"

namespace gausscse::testing_support {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(concat("program_server: ", what, ": ", std::strerror(errno)));
}

/// The process that runs are forks of, and the socket on which it is asked for them.
class Server {
 public:
  Server() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("no socket");
    socket_ = FileDescriptor(ends[0]);
    const FileDescriptor of_server(ends[1]);
    process_ = fork();
    if (process_ < 0) fail("fork");
    if (process_ == 0) {
      set_program_environment();
      dup2(of_server.get(), STDIN_FILENO);
      execl(GAUSSCSE_PROGRAM_SERVER, GAUSSCSE_PROGRAM_SERVER, nullptr);
      _exit(127);
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    socket_ = FileDescriptor();
    waitpid(process_, nullptr, 0);
  }

  int socket() const { return socket_.get(); }

 private:
  FileDescriptor socket_;
  pid_t process_ = -1;
};

}  // namespace

int run_served(const std::vector<std::string>& arguments, std::uint64_t largest_file, int output, int errors) {
  static const Server server;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  const FileDescriptor status_here(ends[0]);
  {
    const FileDescriptor status_there(ends[1]);
    send_request({arguments, largest_file, {output, errors, status_there.get()}}, server.socket());
  }
  int status = 0;
  if (read(status_here.get(), &status, sizeof status) != sizeof status) fail("a run ended without a status");
  return status;
}

}  // namespace gausscse::testing_support
