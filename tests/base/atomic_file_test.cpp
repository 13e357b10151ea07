#include "base/atomic_file.hpp"

#include "base/file_calls.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/no_write_permission.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

const std::string old_content = "the old content";
const std::array<std::string_view, 4> new_parts = {"the ", "", "new ", "content, longer"};
const std::string new_content = "the new content, longer";

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, WritesAllPartsAndReplaces) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "f", old_content);
  EXPECT_EQ(read_whole_file(folder / "f", 1000), old_content);
  write_file_atomically(folder / "f", new_parts);
  EXPECT_EQ(read_whole_file(folder / "f", 1000), new_content);
  write_file_atomically(folder / "f", std::string_view());
  EXPECT_EQ(read_whole_file(folder / "f", 1000), "");
  EXPECT_EQ(entries_of(folder.path()), 1u);
}

TEST(AtomicFile, ReadersOfTheOldFileKeepIt) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "f", old_content);
  const MappedFile reader(folder / "f");
  write_file_atomically(folder / "f", new_parts);
  EXPECT_EQ(reader.bytes(), old_content);
}

TEST(AtomicFile, WritesARelativePath) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("f", new_parts);
  fs::current_path(before);
  EXPECT_EQ(read_whole_file(folder / "f", 1000), new_content);
}

TEST(AtomicFile, NamesFileCallAndReason) {
  const TemporaryFolder folder;
  try {
    write_file_atomically(folder / "missing" / "f", new_parts);
    FAIL() << "wrote into a folder that is not there";
  } catch (const SystemError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find((folder / "missing").string()), std::string::npos) << message;
    EXPECT_NE(message.find("open: No such file or directory"), std::string::npos) << message;
  }
  fs::create_directory(folder / "d");
  EXPECT_THROW(write_file_atomically(folder / "d", new_parts), SystemError);
  EXPECT_EQ(entries_of(folder.path()), 1u);
}

struct Hits {
  std::size_t calls = 0;     ///< calls that were hit, one a run
  std::size_t failures = 0;  ///< runs that threw
};

/// Writes over an old file, or none, with each call hit in turn, and checks the files that are then on the disk.
Hits hit_each_call(Fault fault, Repeat repeat, bool with_old, const char* errno_name) {
  Hits hits;
  while (true) {
    const std::size_t k = hits.calls + 1;
    const TemporaryFolder folder;
    const fs::path path = folder / "result";
    if (with_old) write_bytes(path, old_content);
    FaultInjection injection(k, fault, repeat);
    std::optional<std::string> failure;
    try {
      write_file_atomically(path, new_parts);
    } catch (const SystemError& error) {
      failure = error.what();
    }
    injection.stop();
    SCOPED_TRACE("call " + std::to_string(k));
    const bool exists = fs::exists(path);
    EXPECT_EQ(entries_of(folder.path()), exists ? 1u : 0u) << "a temporary file is left";
    const std::string content = exists ? read_whole_file(path, 1000) : "";
    if (failure) {
      EXPECT_NE(failure->find(errno_name ? errno_name : "no failure"), std::string::npos) << *failure;
      EXPECT_NE(failure->find(folder.path().string()), std::string::npos) << *failure;
      // Only the last flush, of the folder, may fail with the new file in place, and says so.
      if (failure->find("is written, but") != std::string::npos) {
        EXPECT_EQ(content, new_content);
      } else {
        EXPECT_EQ(exists, with_old);
        EXPECT_EQ(content, with_old ? old_content : "");
      }
    } else {
      EXPECT_EQ(content, new_content);
    }
    if (!injection.fired() || ::testing::Test::HasFailure()) {
      EXPECT_FALSE(failure);
      return hits;
    }
    ++hits.calls;
    count_disturbance("calls of writers that failed or were cut short, one at a time");
    if (failure) ++hits.failures;
  }
}

TEST(AtomicFileFaults, EveryFailingCallLeavesOldOrNewWhole) {
  for (const bool with_old : {false, true}) {
    for (const Repeat repeat : {Repeat::once, Repeat::from_then_on}) {
      for (const auto& [fault, code] : {std::pair(Fault::no_space, ENOSPC), std::pair(Fault::io_error, EIO)}) {
        const Hits hits = hit_each_call(fault, repeat, with_old, std::strerror(code));
        // Open the folder and the file, 3 writes, fsync, close, rename, fsync of the folder; closing the folder, from
        // which nothing was to be written, may fail unseen.
        EXPECT_EQ(hits.failures, 9u);
        EXPECT_EQ(hits.calls, 10u);
      }
    }
  }
}

TEST(AtomicFileFaults, AFullDiskHasARemedy) {
  const TemporaryFolder folder;
  const auto failure_of = [&](Fault fault) {
    const FaultInjection injection(3, fault, Repeat::once);  // the first write
    try {
      write_file_atomically(folder / "f", new_parts);
    } catch (const WriteError& error) {
      return std::string(error.what());
    }
    return std::string("written");
  };
  EXPECT_TRUE(failure_of(Fault::no_space)
                  .ends_with(": write: No space left on device: make room there, and start the same command again"));
  EXPECT_TRUE(failure_of(Fault::io_error).ends_with(": write: Input/output error"));
}

TEST(AtomicFile, ThatMayNotBeWrittenNamesFolderAndRemedy) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", old_content);
  std::string text;
  {
    const NoWritePermission refused(folder.path());
    try {
      write_file_atomically(folder / "f", new_parts);
    } catch (const WriteError& error) {
      text = error.what();
    }
  }
  EXPECT_TRUE(text.starts_with("cannot write " + (folder / "f.tmp-").string())) << text;
  EXPECT_TRUE(text.ends_with(": open: Permission denied: ask the owner of " + folder.path().string() +
                             " for permission to write there, or give another folder"))
      << text;
  EXPECT_EQ(read_whole_file(folder / "f", 1000), old_content);
}

TEST(WriteRemedy, IsOfTheErrorAndTheFolder) {
  using file_calls::write_remedy;
  const TemporaryFolder folder;
  const std::string of = folder.path().string();
  EXPECT_EQ(write_remedy(folder / "f", EPERM), write_remedy(folder.path(), EACCES)) << "a folder itself is meant";
  EXPECT_EQ(write_remedy(folder / "f", EROFS),
            ": the file system of " + of + " is mounted read-only: give another folder");
  EXPECT_EQ(write_remedy(folder / "f", EDQUOT), ": make room there, and start the same command again");
  EXPECT_EQ(write_remedy(folder / "f", EIO), "");
}

TEST(AtomicFileFaults, SignalsAndShortWritesAreOvercome) {
  const Hits interrupted = hit_each_call(Fault::interrupted, Repeat::once, true, nullptr);
  EXPECT_EQ(interrupted.failures, 0u);
  EXPECT_EQ(interrupted.calls, 10u);
  const Hits shortened = hit_each_call(Fault::short_write, Repeat::once, true, nullptr);
  EXPECT_EQ(shortened.failures, 0u);
  EXPECT_EQ(shortened.calls, 5u) << "the last write is the fifth call";
  const TemporaryFolder folder;
  const FaultInjection injection(1, Fault::short_write, Repeat::from_then_on);
  write_file_atomically(folder / "f", new_parts);
  EXPECT_GE(injection.calls(), new_content.size()) << "one byte a call";
  EXPECT_EQ(read_whole_file(folder / "f", 1000), new_content);
}

}  // namespace
}  // namespace gausscse
