#include "dist/mpi/shared_memory_folder.hpp"

#include <unistd.h>

#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using detail::SharedMemoryFolder;

constexpr const char* of_vader = "OMPI_MCA_btl_vader_backing_directory";

/// Makes the folder that a process of this host and this start left.
fs::path left_by(const fs::path& parent, std::int64_t process, std::uint64_t start, uid_t user = ::getuid()) {
  fs::path folder = parent / concat("gausscse-mpi-", user, ".tmp-", host_name(), "-", process, ".", start, "-0");
  fs::create_directory(folder);
  write_bytes(folder / "vader_segment", "x");
  return folder;
}

TEST(SharedMemoryFolder, IsNamedToOpenMpiAndRemoved) {
  const TemporaryFolder parent;
  ::unsetenv(of_vader);
  fs::path path;
  {
    const SharedMemoryFolder folder(parent.path());
    path = folder.path();
    EXPECT_EQ(path.parent_path(), parent.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_EQ(std::string(std::getenv(of_vader)), path);
    EXPECT_EQ(std::string(std::getenv("OMPI_MCA_btl_sm_backing_directory")), path);
    write_bytes(path / "vader_segment", "x");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(std::getenv(of_vader), nullptr);
}

TEST(SharedMemoryFolder, RemovesThoseOfProcessesThatHaveEnded) {
  const TemporaryFolder parent;
  ::unsetenv(of_vader);
  const std::uint64_t start = *start_of_process(::getpid());
  const fs::path alive = left_by(parent.path(), ::getpid(), start),
                 ended = left_by(parent.path(), ::getpid(), start + 1),
                 of_others = left_by(parent.path(), ::getpid(), start + 1, ::getuid() + 1),
                 other = parent / "vader_segment.host.0.1.0";
  write_bytes(other, "x");
  const SharedMemoryFolder folder(parent.path());
  EXPECT_TRUE(fs::exists(alive / "vader_segment"));
  EXPECT_FALSE(fs::exists(ended));
  EXPECT_TRUE(fs::exists(of_others));
  EXPECT_TRUE(fs::exists(other)) << "it may be any program's";
}

TEST(SharedMemoryFolder, IsTheUsersWhereTheEnvironmentNamesOne) {
  const TemporaryFolder parent;
  ::setenv(of_vader, "/mine", 1);
  {
    const SharedMemoryFolder folder(parent.path());
    EXPECT_EQ(folder.path(), "");
    EXPECT_TRUE(fs::is_empty(parent.path()));
  }
  EXPECT_EQ(std::string(std::getenv(of_vader)), "/mine");
  ::unsetenv(of_vader);
  const SharedMemoryFolder folder(parent / "missing");
  EXPECT_EQ(folder.path(), "");
  EXPECT_EQ(std::getenv(of_vader), nullptr);
}

}  // namespace
}  // namespace gausscse
