#include "launcher/machine/mps_daemon.hpp"

#include "tests/launcher/machine/mps_socket.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

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
