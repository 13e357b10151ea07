#include "launcher/machine/mps_daemon.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/file_calls.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

/// A daemon's socket, which answers nobody.
FileDescriptor listening_at(const std::filesystem::path& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

TEST(MpsDaemon, ServesWhereItListens) {
  // The address of a socket is short.
  const std::filesystem::path folder = "/tmp/" + std::filesystem::path(testing::TempDir()).filename().string() +
                                       "gausscse-mps-" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  EXPECT_FALSE(is_mps_served(folder)) << "nothing is there";
  {
    const FileDescriptor daemon = listening_at(folder / "control");
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(is_mps_served(folder)) << "also where it is busy";
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "control"));
  EXPECT_FALSE(is_mps_served(folder)) << "a dead one leaves its socket";
  std::filesystem::remove(folder / "control");
  std::ofstream(folder / "control") << "a file";
  EXPECT_FALSE(is_mps_served(folder));
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(is_mps_served("/" + std::string(200, 'x'))) << "no socket has such a name";
}

TEST(MpsDaemon, IsLookedForWhereCudaLooks) {
  ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  EXPECT_EQ(mps_folder(), "/tmp/nvidia-mps");
  ::setenv("CUDA_MPS_PIPE_DIRECTORY", "/run/mps", 1);
  EXPECT_EQ(mps_folder(), "/run/mps");
  ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

}  // namespace
}  // namespace gausscse
