#include "base/atomic_file.hpp"
#include "base/folder_mark.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Existing = AtomicFolder::Existing;
namespace fs = std::filesystem;

/// Relative path -> content of all files below a folder but its mark.
using Contents = std::map<std::string, std::string>;

const Contents old_contents = {{"config.json", "old"}, {"only_old", "x"}};
const Contents new_contents = {
    {"config.json", "new one"}, {"model/weights", "1234"}, {"outside", "written by a library"}};

Contents contents_of(const fs::path& folder) {
  Contents contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename() != folder_mark_name) {
      contents[fs::relative(entry.path(), folder).string()] = read_whole_file(entry.path(), 1000);
    }
  }
  return contents;
}

/// An earlier one that may be replaced.
void make_old(const fs::path& path) {
  fs::create_directory(path);
  for (const auto& [name, content] : old_contents) write_bytes(path / name, content);
  write_bytes(path / folder_mark_name, whole_folder_mark(path));
}

void write_new(const fs::path& path, Existing existing) {
  AtomicFolder folder(path);
  folder.add_file("config.json", std::array<std::string_view, 2>{"new ", "one"});
  folder.add_file("model/weights", "1234");
  write_bytes(folder.staging() / "outside", "written by a library");
  folder.commit(existing);
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFolder, AppearsWithAllFilesAtCommit) {
  const TemporaryFolder parent;
  {
    AtomicFolder folder(parent / "run");
    folder.add_file("a", "1");
    EXPECT_FALSE(fs::exists(parent / "run"));
    EXPECT_EQ(folder.staging().parent_path(), parent.path());
    folder.commit();
    EXPECT_EQ(contents_of(parent / "run"), (Contents{{"a", "1"}}));
  }
  EXPECT_EQ(entries_of(parent.path()), 1u);
}

TEST(AtomicFolder, GoesWithoutATraceWhenNotCommitted) {
  const TemporaryFolder parent;
  {
    AtomicFolder folder(parent / "run");
    folder.add_file("sub/a", "1");
    EXPECT_EQ(entries_of(parent.path()), 1u);
  }
  EXPECT_EQ(entries_of(parent.path()), 0u);
}

TEST(AtomicFolder, KeepsAFolderThatHoldsAnything) {
  const TemporaryFolder parent;
  make_old(parent / "run");
  EXPECT_THROW(write_new(parent / "run", Existing::keep), InputError);
  EXPECT_EQ(contents_of(parent / "run"), old_contents);
  EXPECT_EQ(entries_of(parent.path()), 1u);
}

TEST(AtomicFolder, TakesThePlaceOfAnEmptyFolder) {
  const TemporaryFolder parent;
  fs::create_directory(parent / "run");
  write_new((parent / "run").string() + "/", Existing::keep);
  EXPECT_EQ(contents_of(parent / "run"), new_contents);
  EXPECT_EQ(entries_of(parent.path()), 1u);
}

TEST(AtomicFolder, ReplacesTheWholeFolderWhenTold) {
  const TemporaryFolder parent;
  write_new(parent / "run", Existing::replace);
  EXPECT_EQ(contents_of(parent / "run"), new_contents) << "there was none";
  fs::remove_all(parent / "run");
  make_old(parent / "run");
  write_new(parent / "run", Existing::replace);
  EXPECT_EQ(contents_of(parent / "run"), new_contents) << "nothing of the old one is mixed in";
  EXPECT_EQ(entries_of(parent.path()), 1u);
}

TEST(AtomicFolder, DoesNotReplaceWhatItDidNotWrite) {
  const TemporaryFolder parent;
  fs::create_directory(parent / "foreign");
  write_bytes(parent / "foreign" / "mine.txt", "mine");
  write_new(parent / "new", Existing::keep);
  make_old(parent / "added");
  write_bytes(parent / "added" / "mine.txt", "mine");
  make_old(parent / "edited");
  write_bytes(parent / "edited" / "config.json", "own words");
  for (const char* name : {"foreign", "new", "added", "edited"}) {
    const Contents before = contents_of(parent / name);
    EXPECT_THROW(write_new(parent / name, Existing::replace), InputError) << name;
    EXPECT_EQ(contents_of(parent / name), before) << name;
  }
  EXPECT_EQ(entries_of(parent.path()), 4u);
}

TEST(AtomicFolder, OnlyAFolderThatMayBeReplacedIsMarked) {
  const TemporaryFolder parent;
  write_new(parent / "kept", Existing::keep);
  write_new(parent / "replaced", Existing::replace);
  EXPECT_FALSE(fs::exists(parent / "kept" / folder_mark_name));
  EXPECT_TRUE(has_folder_mark(parent / "replaced", FolderKind::whole));
}

TEST(AtomicFolder, DoesNotReplaceAFile) {
  const TemporaryFolder parent;
  for (const Existing existing : {Existing::keep, Existing::replace}) {
    write_bytes(parent / "run", "a file");
    EXPECT_THROW(write_new(parent / "run", existing), InputError);
    EXPECT_EQ(read_whole_file(parent / "run", 100), "a file");
    EXPECT_EQ(entries_of(parent.path()), 1u);
  }
}

TEST(AtomicFolder, FollowsASymbolicLink) {
  const TemporaryFolder parent;
  fs::create_directory(parent / "disk");
  make_old(parent / "disk" / "run");
  fs::create_symlink(parent / "disk" / "run", parent / "run");
  write_new(parent / "run", Existing::replace);
  EXPECT_TRUE(fs::is_symlink(parent / "run"));
  EXPECT_EQ(contents_of(parent / "disk" / "run"), new_contents);
  EXPECT_EQ(entries_of(parent / "disk"), 1u);
}

TEST(AtomicFolder, RefusesNamesThatLeaveIt) {
  const TemporaryFolder parent;
  AtomicFolder folder(parent / "run");
  EXPECT_THROW(folder.add_file("../a", "1"), std::logic_error);
  EXPECT_THROW(folder.add_file("/a", "1"), std::logic_error);
  EXPECT_THROW(folder.add_file("", "1"), std::logic_error);
}

TEST(AtomicFolder, SwapsOnlyByTwoRenamesWhereItMust) {
  const TemporaryFolder parent;
  make_old(parent / "run");
  {
    const FaultInjection injection(1000, Fault::io_error, Repeat::once, Swaps::unsupported);
    write_new(parent / "run", Existing::replace);
  }
  EXPECT_EQ(contents_of(parent / "run"), new_contents);
  EXPECT_EQ(entries_of(parent.path()), 1u);
}

/// Returns whether one of the entries of `parent` is a folder of these contents.
bool is_beside(const fs::path& parent, const Contents& contents) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (contents_of(entry.path()) == contents) return true;
  }
  return false;
}

struct Hits {
  std::size_t calls = 0;     ///< calls that were hit, one a run
  std::size_t failures = 0;  ///< runs that threw
};

/// Writes the new folder over the old one, or none, with each call hit in turn, and checks that one of the legal states
/// is on the disk.
Hits hit_each_call(Fault fault, Repeat repeat, Swaps swaps, bool with_old, const char* errno_name) {
  Hits hits;
  while (true) {
    const TemporaryFolder parent;
    const fs::path path = parent / "run";
    if (with_old) make_old(path);
    FaultInjection injection(hits.calls + 1, fault, repeat, swaps);
    std::optional<std::string> failure;
    try {
      AtomicFolder folder(path);
      folder.add_file("config.json", std::array<std::string_view, 2>{"new ", "one"});
      folder.add_file("model/weights", "1234");
      folder.add_file("outside", "written by a library");
      folder.commit(Existing::replace);
    } catch (const SystemError& error) {
      failure = error.what();
    }
    injection.stop();
    SCOPED_TRACE(concat("call ", hits.calls + 1, ": ", failure.value_or("no failure")));
    if (failure) {
      EXPECT_NE(failure->find(errno_name ? errno_name : "no failure"), std::string::npos);
      EXPECT_NE(failure->find(parent.path().string()), std::string::npos);
    }
    if (fs::exists(path)) {
      const Contents contents = contents_of(path);
      EXPECT_TRUE(contents == new_contents || (failure && with_old && contents == old_contents));
    } else if (with_old) {
      EXPECT_TRUE(swaps == Swaps::unsupported && repeat == Repeat::from_then_on) << "no folder at the path";
      EXPECT_TRUE(failure && failure->find("the old folder is whole in") != std::string::npos);
      EXPECT_TRUE(is_beside(parent.path(), old_contents));
    } else {
      EXPECT_TRUE(failure) << "success without a folder";
    }
    // A disk that fails for good may also refuse the removal of leftovers; a single fault may not leave any.
    if (repeat == Repeat::once) {
      EXPECT_EQ(entries_of(parent.path()), fs::exists(path) ? 1u : 0u);
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

TEST(AtomicFolderFaults, EveryFailingCallLeavesOldOrNewWhole) {
  for (const bool with_old : {false, true}) {
    for (const Swaps swaps : {Swaps::supported, Swaps::unsupported}) {
      for (const Repeat repeat : {Repeat::once, Repeat::from_then_on}) {
        const Hits hits = hit_each_call(Fault::io_error, repeat, swaps, with_old, std::strerror(EIO));
        // mkdir twice; open, write and close 3 files. List 2 folders, one of them twice, and open the files for their
        // hashes. Open, write and close the mark. Open, fsync and close all 4 and the folders; open the parent, rename,
        // fsync it.
        EXPECT_GE(hits.failures, 44u);
        EXPECT_GE(hits.calls, hits.failures);
      }
    }
  }
  EXPECT_GE(hit_each_call(Fault::no_space, Repeat::once, Swaps::supported, true, std::strerror(ENOSPC)).failures, 44u);
}

TEST(AtomicFolderFaults, ShortWritesAreOvercome) {
  const Hits hits = hit_each_call(Fault::short_write, Repeat::once, Swaps::supported, true, nullptr);
  EXPECT_EQ(hits.failures, 0u);
  EXPECT_GE(hits.calls, 5u);
}

}  // namespace
}  // namespace gausscse
