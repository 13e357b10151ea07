#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::TemporaryFolder;

/// While it lives, no file of this process grows beyond `bytes`: writes come out short, then fail with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

template <typename Write>
std::string failure_under_limit(const Write& write) {
  const FileSizeLimit limit(10000);
  try {
    write();
  } catch (const SystemError& error) {
    return error.what();
  }
  return "no failure";
}

std::size_t entries_of(const std::filesystem::path& folder) {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Iterator(folder), Iterator()));
}

TEST(DiskFull, LeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string large(25000, 'x');
  write_file_atomically(folder / "f", "old");
  const std::string failure = failure_under_limit([&] { write_file_atomically(folder / "f", large); });
  EXPECT_NE(failure.find(std::strerror(EFBIG)), std::string::npos) << failure;
  EXPECT_EQ(read_whole_file(folder / "f", 100000), "old");
  EXPECT_EQ(entries_of(folder.path()), 1u);
  write_file_atomically(folder / "f", large);
  EXPECT_EQ(read_whole_file(folder / "f", 100000), large) << "once there is room again";
}

TEST(DiskFull, LeavesTheOldFolder) {
  const TemporaryFolder parent;
  {
    AtomicFolder old(parent / "run");
    old.add_file("a", "old");
    old.commit();
  }
  const std::string failure = failure_under_limit([&] {
    AtomicFolder fresh(parent / "run");
    fresh.add_file("a", "new");
    fresh.add_file("b", std::string(25000, 'x'));
    fresh.commit(AtomicFolder::Existing::replace);
  });
  EXPECT_NE(failure.find(std::strerror(EFBIG)), std::string::npos) << failure;
  EXPECT_EQ(read_whole_file(parent / "run" / "a", 100), "old");
  EXPECT_EQ(entries_of(parent.path()), 1u);
  EXPECT_EQ(entries_of(parent / "run"), 1u);
}

}  // namespace
}  // namespace gausscse
