#include "base/file_lock.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

class FileLockTest : public testing::Test {
 protected:
  std::string refusal() const {
    return refusal_of([&] { const FileLock lock(path_); });
  }
  std::string content() const { return read_whole_file(path_, 1000); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  static std::string own_text() { return concat("process ", ::getpid(), " on ", host_name(), "\n"); }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / ".lock";
};

TEST_F(FileLockTest, KeepsASecondHolderAwayAndNamesTheFirst) {
  {
    const FileLock lock(path_);
    EXPECT_TRUE(lock.is_exclusive());
    EXPECT_FALSE(lock.stale_holder());
    EXPECT_EQ(content(), own_text());
    EXPECT_EQ(entries(), 1u);
    EXPECT_EQ(refusal(), concat(folder_.path().string(), " is in use by another run (process ", ::getpid(), " on ",
                                host_name(), "), and two would overwrite each other: wait for it to end"));
    EXPECT_EQ(content(), own_text());
  }
  EXPECT_FALSE(fs::exists(path_));
  const FileLock again(path_);
}

TEST_F(FileLockTest, IsLookedAtAgainAsOftenAsIsWanted) {
  std::optional<FileLock> held(std::in_place, path_);
  int looks = 0;
  EXPECT_TRUE(says(refusal_of([&] {
                     const FileLock lock(path_, [&](const std::string& holder) {
                       EXPECT_EQ(holder + "\n", own_text());
                       return ++looks < 3;
                     });
                   }),
                   "is in use by another run"));
  EXPECT_EQ(looks, 3);
  const FileLock lock(path_, [&](const std::string&) {
    held.reset();
    return true;
  });
  EXPECT_TRUE(lock.is_exclusive());
  EXPECT_FALSE(lock.stale_holder());
  EXPECT_EQ(content(), own_text());
}

TEST_F(FileLockTest, OutlivesAHolderThatWasKilled) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::optional<FileLock> lock(std::in_place, path_);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(path_));
  const FileLock lock(path_);
  EXPECT_EQ(lock.stale_holder(), concat("process ", child, " on ", host_name()));
  EXPECT_EQ(content(), own_text());
}

/// The file is there from the first to the last moment that another may find it, with its holder's name.
TEST_F(FileLockTest, IsWholeWheneverItsHolderIsKilled) {
  std::size_t k = 1, found = 0;
  for (; killed_before_call(k, [&] { const FileLock lock(path_); }); ++k) {
    if (fs::exists(path_)) {
      ++found;
      EXPECT_TRUE(says(content(), concat(" on ", host_name(), "\n"))) << "call " << k;
    }
    EXPECT_EQ(refusal(), "accepted") << "call " << k;
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_GE(k, 5u);
  EXPECT_GE(found, 1u);
}

TEST_F(FileLockTest, IsMadeWhereAFileHasOneName) {
  {
    const FaultInjection injection(100, Fault::io_error, Repeat::once, Swaps::unsupported);
    const FileLock lock(path_);
    EXPECT_EQ(content(), own_text());
    EXPECT_EQ(entries(), 1u);
    EXPECT_TRUE(lock.is_exclusive());
    EXPECT_TRUE(says(refusal(), "is in use by another run"));
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileLockTest, LeavesNothingWhereItCannotBeWritten) {
  for (const Swaps names : {Swaps::supported, Swaps::unsupported}) {
    std::size_t k = 1;
    for (bool fired = true; fired; ++k) {
      FaultInjection injection(k, Fault::no_space, Repeat::once, names);
      try {
        const FileLock lock(path_);
        injection.stop();
      } catch (const WriteError&) {
        EXPECT_TRUE(injection.fired());
      }
      fired = injection.fired();
      EXPECT_EQ(entries(), 0u) << "call " << k;
    }
    EXPECT_GE(k, 4u);
  }
}

TEST_F(FileLockTest, NothingElseIsTakenForALock) {
  const std::string whole = own_text();
  for (const std::string& text :
       {std::string(), std::string("mine\n"), whole.substr(0, whole.size() - 1), whole + "\n", whole + "mine\n",
        "my " + whole, std::string("process  on here\n"), std::string("process 1x on here\n"),
        std::string("process 17 on \n"), std::string("process 17 at here\n"), std::string("process 17\n"),
        concat("process 17 on ", std::string(600, 'h'), "\n")}) {
    write_bytes(path_, text);
    EXPECT_EQ(refusal(), concat(path_.string(),
                                " is in the way: it holds something else or nothing, not a lock that gausscse left, "
                                "and is not removed: move it"));
    EXPECT_EQ(content(), text);
    EXPECT_EQ(entries(), 1u);
  }
  write_bytes(path_, "process 17 on there\n");
  const FileLock lock(path_);
  EXPECT_EQ(lock.stale_holder(), "process 17 on there");
}

TEST_F(FileLockTest, LinksAreNotFollowed) {
  const fs::path mine = folder_ / "mine.txt";
  const std::string expected = "is in the way: it is a symbolic link, a folder or the like";
  // Even to a file that is a lock.
  for (const char* text : {"mine\n", "", "process 17 on there\n"}) {
    write_bytes(mine, text);
    fs::create_symlink("mine.txt", path_);
    EXPECT_TRUE(says(refusal(), expected));
    EXPECT_EQ(read_whole_file(mine, 100), text);
    EXPECT_TRUE(fs::is_symlink(path_));
    fs::remove(path_);
  }
  fs::create_symlink("nothing", path_);
  EXPECT_TRUE(says(refusal(), expected));
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_TRUE(says(refusal(), expected));
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(says(refusal(), expected));
}

TEST_F(FileLockTest, LeavesWhatTookItsPlace) {
  {
    const FileLock lock(path_);
    write_bytes(path_, own_text() + "mine\n");
  }
  EXPECT_EQ(content(), own_text() + "mine\n") << "written to";
  fs::remove(path_);
  {
    const FileLock lock(path_);
    fs::remove(path_);
    write_bytes(path_, own_text());
  }
  EXPECT_EQ(content(), own_text()) << "another file";
}

TEST_F(FileLockTest, ReportsWhereItCannotBeMade) {
  EXPECT_THROW(FileLock("/proc/gausscse/.lock"), WriteError);
}

}  // namespace
}  // namespace gausscse
