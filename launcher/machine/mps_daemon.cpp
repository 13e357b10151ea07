#include "launcher/machine/mps_daemon.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/file_calls.hpp"

namespace gausscse {

std::filesystem::path mps_folder() {
  const char* folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  return folder && *folder ? folder : "/tmp/nvidia-mps";
}

bool is_mps_served(const std::filesystem::path& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "control";
  if (path.size() >= sizeof address.sun_path) return false;
  path.copy(address.sun_path, path.size());
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // EAGAIN: other programs connect at this moment.
  return socket.get() >= 0 &&
         (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN);
}

}  // namespace gausscse
