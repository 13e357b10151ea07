#include "launcher/machine/mpi_leftovers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// A file that a process has mapped is in use, here by the test itself; other names are not Open MPI's.
TEST(MpiLeftovers, AreFilesThatNoProcessHasMapped) {
  const TemporaryFolder folder;
  EXPECT_EQ(mpi_leftovers(folder.path()), std::vector<fs::path>{});
  for (const char* name :
       {"vader_segment.b.1.1", "sm_segment.a.0.2", "vader_segment.a.1.0", "other.a.1", "vader_segmentx"})
    write_bytes(folder / name, std::string(4096, 'x'));
  fs::create_directory(folder / "vader_segment.folder");
  fs::create_symlink(folder / "other.a.1", folder / "vader_segment.link");
  const int file = ::open((folder / "vader_segment.a.1.0").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  void* const mapped = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  ::close(file);
  const std::vector<fs::path> unused{folder / "sm_segment.a.0.2", folder / "vader_segment.b.1.1"};
  EXPECT_EQ(mpi_leftovers(folder.path()), unused);
  ::munmap(mapped, 4096);
  EXPECT_EQ(mpi_leftovers(folder.path()),
            (std::vector<fs::path>{unused[0], folder / "vader_segment.a.1.0", unused[1]}));
  EXPECT_EQ(mpi_leftovers(folder / "nowhere"), std::vector<fs::path>{});
}

}  // namespace
}  // namespace gausscse
