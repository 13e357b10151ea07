#include "base/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/error.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::TemporaryFolder;

TEST(FileLock, KeepsASecondHolderAwayAndNamesTheFirst) {
  const TemporaryFolder folder;
  {
    const FileLock lock(folder / ".lock");
    EXPECT_TRUE(lock.is_exclusive());
    EXPECT_FALSE(lock.stale_holder());
    try {
      const FileLock second(folder / ".lock");
      FAIL() << "two have the lock";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(concat("process ", ::getpid())), std::string::npos) << message;
    }
  }
  EXPECT_FALSE(fs::exists(folder / ".lock"));
  const FileLock again(folder / ".lock");
}

TEST(FileLock, OutlivesAHolderThatWasKilled) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::optional<FileLock> lock(std::in_place, folder / ".lock");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(folder / ".lock"));
  const FileLock lock(folder / ".lock");
  ASSERT_TRUE(lock.stale_holder());
  EXPECT_NE(lock.stale_holder()->find(concat("process ", child)), std::string::npos) << *lock.stale_holder();
}

TEST(FileLock, TellsWhereItCannotBeMade) {
  EXPECT_THROW(FileLock("/proc/gausscse/.lock"), WriteError);
}

}  // namespace
}  // namespace gausscse
