#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;
using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

// Of "abc" and "abd": `printf abc | xxh128sum`.
const std::string hash_of_abc = "06b05ab6733a618578af5f94892f3950";
const std::string other_hash = "0123456789abcdef0123456789abcdef";

struct stat status_of(const fs::path& path) {
  struct stat status;
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status;
}

bool same_time(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

/// Returns an entry as the format says, whose last line is the hash of all before it.
std::string entry_of(const fs::path& path, const std::string& hash) {
  const struct stat status = status_of(path);
  const auto nanoseconds = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
  const std::string content =
      concat("gausscse-content-hash/1\nfile ", quoted(path.native(), 5000), "\nsize ", status.st_size, "\nmodified ",
             nanoseconds(status.st_mtim), "\nchanged ", nanoseconds(status.st_ctim), "\ninode ", status.st_ino,
             "\ndevice ", status.st_dev, "\nhash ", hash, "\n");
  return concat(content, "entry ", content_hash_of(content), "\n");
}

class CachedContentHash : public testing::Test {
 protected:
  CachedContentHash() { write_bytes(file_, "abc"); }

  /// As it would be some time after what was written in the test.
  std::string hash(const fs::path& file) const {
    return cached_content_hash(file, cache_, system_clock::now() + std::chrono::seconds(10));
  }
  std::string hash() const { return hash(file_); }
  fs::path entry() const { return cache_ / content_hash_of(file_.native()); }
  std::string entry_bytes() const { return read_whole_file(entry(), 1 << 20); }
  /// Makes the entry say another hash, so that it shows whether it is believed.
  void plant() const { write_bytes(entry(), entry_of(file_, other_hash)); }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "file";
  const fs::path cache_ = folder_ / "made" / "on the way";
};

TEST_F(CachedContentHash, IsKeptWithAllThatTellsTheFile) {
  EXPECT_EQ(hash(), hash_of_abc);
  EXPECT_EQ(entry_bytes(), entry_of(file_, hash_of_abc));
  EXPECT_EQ(files_in(cache_).size(), 1u);
  plant();
  EXPECT_EQ(hash(), other_hash);
}

TEST_F(CachedContentHash, IsOfOnePathHoweverItIsWritten) {
  hash();
  plant();
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_EQ(hash("file"), other_hash);
  EXPECT_EQ(hash("./made/../file"), other_hash);
  fs::current_path(before);
  EXPECT_EQ(files_in(cache_).size(), 1u);
}

TEST_F(CachedContentHash, FollowsTheFile) {
  hash();
  write_bytes(file_, "abcd");
  EXPECT_EQ(hash(), content_hash_of("abcd"));
  EXPECT_EQ(entry_bytes(), entry_of(file_, content_hash_of("abcd")));
}

TEST_F(CachedContentHash, SeesOtherBytesOfTheSameSizeAndTime) {
  hash();
  const struct stat before = status_of(file_);
  const timespec times[] = {before.st_atim, before.st_mtim};
  // The clock of change times ticks every few milliseconds.
  do {
    write_bytes(file_, "xyz");
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  } while (same_time(status_of(file_).st_ctim, before.st_ctim));
  ASSERT_TRUE(same_time(status_of(file_).st_mtim, before.st_mtim));
  ASSERT_EQ(status_of(file_).st_ino, before.st_ino);
  EXPECT_EQ(hash(), content_hash_of("xyz"));
}

TEST_F(CachedContentHash, SeesAFileThatTookThePlace) {
  hash();
  write_bytes(folder_ / "other", "xyz");
  const struct stat before = status_of(file_);
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ / "other").c_str(), times, 0), 0);
  fs::rename(folder_ / "other", file_);
  EXPECT_EQ(hash(), content_hash_of("xyz"));
}

TEST_F(CachedContentHash, FollowsSymbolicLinks) {
  write_bytes(folder_ / "other", "xyz");
  const fs::path link = folder_ / "link";
  fs::create_symlink("file", link);
  EXPECT_EQ(hash(link), hash_of_abc);
  EXPECT_EQ(read_whole_file(cache_ / content_hash_of(link.native()), 1 << 20), entry_of(link, hash_of_abc));
  fs::remove(link);
  fs::create_symlink("other", link);
  EXPECT_EQ(hash(link), content_hash_of("xyz"));
  EXPECT_EQ(hash(), hash_of_abc);
}

TEST_F(CachedContentHash, IsNotKeptOfWhatWasJustWritten) {
  const auto at = [&](const timespec& time, std::chrono::nanoseconds later) {
    const std::chrono::nanoseconds since_1970 =
        std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec) + later;
    return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since_1970));
  };
  const auto kept = [&](system_clock::time_point now) {
    fs::remove_all(cache_);
    EXPECT_EQ(cached_content_hash(file_, cache_, now), hash_of_abc);
    return !files_in(cache_).empty();
  };
  // A file whose modification was long before its last change, then one whose modification is in the future.
  for (const std::time_t year : {-1, 1}) {
    const std::time_t seconds = std::time(nullptr) + year * 365 * 86400;
    const timespec times[] = {{seconds, 5}, {seconds, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
    const struct stat status = status_of(file_);
    const timespec& latest = year < 0 ? status.st_ctim : status.st_mtim;
    EXPECT_FALSE(kept(at(latest, std::chrono::milliseconds(1999))));
    EXPECT_TRUE(kept(at(latest, std::chrono::milliseconds(2001))));
  }
}

TEST_F(CachedContentHash, IsReadAgainWhereAnEntryIsDamaged) {
  hash();
  plant();
  const std::string whole = entry_bytes();
  const std::string right = entry_of(file_, hash_of_abc);
  const std::size_t first_line = whole.find('\n') + 1;
  for (std::size_t size = first_line; size < whole.size(); ++size) {
    write_bytes(entry(), whole.substr(0, size));
    ASSERT_EQ(hash(), hash_of_abc) << size;
    ASSERT_EQ(entry_bytes(), right) << size;
  }
  for (std::size_t byte = first_line; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    write_bytes(entry(), damaged);
    ASSERT_EQ(hash(), hash_of_abc) << byte;
    ASSERT_EQ(entry_bytes(), right) << byte;
  }
  write_bytes(entry(), whole + "x");
  EXPECT_EQ(hash(), hash_of_abc);
}

TEST_F(CachedContentHash, LeavesAloneWhatIsNotItsOwn) {
  fs::create_directories(cache_);
  for (const std::string& foreign :
       {std::string("a user's"), std::string(), std::string("gausscse-content-hash/2\n")}) {
    write_bytes(entry(), foreign);
    EXPECT_EQ(hash(), hash_of_abc);
    EXPECT_EQ(entry_bytes(), foreign);
  }
  fs::remove(entry());
  fs::create_directory(entry());
  EXPECT_EQ(hash(), hash_of_abc);
  EXPECT_TRUE(fs::is_directory(entry()));
  fs::remove(entry());
  fs::create_symlink("nowhere", entry());
  EXPECT_EQ(hash(), hash_of_abc);
  EXPECT_TRUE(fs::is_symlink(entry()));
}

TEST_F(CachedContentHash, NeedsNoFolder) {
  const system_clock::time_point later = system_clock::now() + std::chrono::seconds(10);
  EXPECT_EQ(cached_content_hash(file_, "", later), hash_of_abc);
  EXPECT_EQ(files_in(folder_.path()), std::vector<fs::path>{file_});
  EXPECT_EQ(cached_content_hash(file_, file_ / "below a file", later), hash_of_abc);
  EXPECT_EQ(cached_content_hash(file_, "/proc/self", later), hash_of_abc);
}

TEST_F(CachedContentHash, GivesTheHashWhateverCallFails) {
  for (const auto fault : {testing_support::Fault::no_space, testing_support::Fault::io_error}) {
    bool fired = true;
    for (std::size_t k = 1; fired; ++k) {
      fs::remove_all(cache_);
      fs::create_directories(cache_);
      testing_support::FaultInjection injection(k, fault);
      std::string found;
      const std::string refusal = refusal_of([&] {
        try {
          found = hash();
        } catch (const SystemError& error) {
          throw InputError(error.what());
        }
      });
      injection.stop();
      fired = injection.fired();
      // Reading the file itself may fail; nothing of the cache may.
      if (refusal == "accepted")
        EXPECT_EQ(found, hash_of_abc) << k;
      else
        EXPECT_TRUE(says(refusal, file_.string() + ":")) << k;
      EXPECT_EQ(hash(), hash_of_abc) << k;
    }
  }
}

TEST_F(CachedContentHash, OutlivesWritersThatAreKilled) {
  fs::create_directories(cache_);
  for (std::size_t k = 1; testing_support::killed_before_call(k, [&] { hash(); }); ++k) {
    EXPECT_EQ(hash(), hash_of_abc) << k;
    EXPECT_EQ(entry_bytes(), entry_of(file_, hash_of_abc)) << k;
    fs::remove(entry());
  }
}

TEST_F(CachedContentHash, ServesSeveralAtOnce) {
  write_bytes(folder_ / "other", std::string(100000, 'x'));
  const std::string hash_of_other = content_hash(folder_ / "other");
  std::vector<std::thread> threads;
  std::vector<std::size_t> wrong(4);
  for (std::size_t& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        count += hash() != hash_of_abc;
        count += hash(folder_ / "other") != hash_of_other;
        std::error_code gone;
        fs::remove(entry(), gone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t count : wrong) EXPECT_EQ(count, 0u);
  hash();
  EXPECT_EQ(files_in(cache_).size(), 2u);
}

TEST_F(CachedContentHash, RefusesWhatCannotBeRead) {
  EXPECT_TRUE(says(refusal_of([&] { hash(folder_ / "missing"); }), "no such file"));
  EXPECT_TRUE(says(refusal_of([&] { hash(folder_.path()); }), "is a folder"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(says(refusal_of([&] { hash(folder_ / "pipe"); }), "not a regular file"));
  EXPECT_TRUE(files_in(cache_).empty());
}

}  // namespace
}  // namespace gausscse
