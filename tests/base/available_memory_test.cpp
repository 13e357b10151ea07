#include "base/available_memory.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A machine with 8000 KiB available.
class AvailableMemory : public testing::Test {
 protected:
  AvailableMemory() { write("proc/meminfo", "MemTotal:       16000 kB\nMemAvailable:    8000 kB\nCached: 1 kB\n"); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    write_bytes(root_ / path, text);
  }
  void write_limit(const std::string& group, const std::string& limit, int usage, int cache) const {
    write("sys/fs/cgroup" + group + "/memory.max", limit + "\n");
    write("sys/fs/cgroup" + group + "/memory.current", std::to_string(usage) + "\n");
    write("sys/fs/cgroup" + group + "/memory.stat",
          "anon 5\nactive_file 77\ninactive_file " + std::to_string(cache) + "\n");
  }
  std::int64_t available() const { return available_memory(root_.path()); }

  const TemporaryFolder root_;
};

TEST_F(AvailableMemory, IsTheMachinesWithoutALimit) {
  EXPECT_EQ(available(), 8000 * 1024);
  write("proc/self/cgroup", "0::/user/job\n");
  EXPECT_EQ(available(), 8000 * 1024);
  write_limit("/user/job", "max", 100, 0);
  EXPECT_EQ(available(), 8000 * 1024);
  write_limit("/user/job", "900000000000", 100, 0);
  EXPECT_EQ(available(), 8000 * 1024) << "a limit above the machine's memory";
}

TEST_F(AvailableMemory, IsTheRestOfTheTightestGroup) {
  write("proc/self/cgroup", "0::/user/job\n");
  write_limit("/user/job", "700000", 300000, 0);
  EXPECT_EQ(available(), 400000);
  write_limit("/user/job", "700000", 300000, 50000);
  EXPECT_EQ(available(), 450000) << "page cache can be dropped";
  write_limit("/user", "900000", 800000, 1000);
  EXPECT_EQ(available(), 101000) << "of the group around it";
  write_limit("", "1000000", 990000, 0);
  EXPECT_EQ(available(), 10000) << "of the outermost";
  write_limit("", "1000000", 1990000, 0);
  EXPECT_EQ(available(), 0);
}

/// The file names the group as the host does; the container sees its own as the outermost.
TEST_F(AvailableMemory, IsThatOfAContainer) {
  write("proc/self/cgroup", "0::/docker/123abc\n");
  write_limit("", "600000", 200000, 0);
  EXPECT_EQ(available(), 400000);
}

TEST_F(AvailableMemory, KnowsTheFirstVersionOfControlGroups) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/a\n5:hugetlb,memory:/a/b\n1:name=systemd:/a\n");
  write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(available(), 8000 * 1024);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "50000\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "20000\n");
  write("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 3000\n");
  EXPECT_EQ(available(), 33000);
}

TEST(AvailableMemoryOfThisMachine, IsKnownAndLessThanAll) {
  EXPECT_GT(available_memory(), 1 << 20);
  EXPECT_LT(available_memory(), std::int64_t{1} << 50);
  const TemporaryFolder empty;
  EXPECT_EQ(available_memory(empty.path()), 0);
}

}  // namespace
}  // namespace gausscse
