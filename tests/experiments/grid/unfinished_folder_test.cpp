#include "experiments/grid/unfinished_folder.hpp"

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "experiments/grid/attempts.hpp"
#include "experiments/study/study_layout.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

class UnfinishedFolder : public testing::Test {
 protected:
  UnfinishedFolder() {
    for (const char* name : {"unfinished", "trials", "failed"}) fs::create_directory(results / name);
  }

  fs::path take_over(long generation) { return take_over_folder(results, trial, generation); }
  Commit commit(long generation, const char* worker = "worker") {
    return commit_folder(results, trial, generation, worker);
  }

  TemporaryFolder folder;
  fs::path results = folder.path();
  std::string trial = "0123abc";
  fs::path done = results / "trials" / trial;
};

TEST_F(UnfinishedFolder, IsMadeAndThenHandedOn) {
  const fs::path first = take_over(1);
  EXPECT_EQ(first, results / "unfinished" / "0123abc.1");
  write_bytes(first / "checkpoint", "state");
  EXPECT_EQ(take_over(1), first) << "twice is once";
  const fs::path later = take_over(5);
  EXPECT_TRUE(fs::exists(later / "checkpoint"));
  EXPECT_FALSE(fs::exists(first));
}

TEST_F(UnfinishedFolder, FencesItsFormerHolderOff) {
  const fs::path first = take_over(1);
  take_over(2);
  EXPECT_THROW(write_file_atomically(first / "result.h5", "late"), WriteError);
  EXPECT_EQ(commit(1), Commit::too_late);
  EXPECT_FALSE(fs::exists(done));
}

TEST_F(UnfinishedFolder, IsTakenFromTheLastHolderNotFromAnOlderOne) {
  write_bytes(take_over(3) / "checkpoint", "new");
  fs::create_directory(results / "unfinished" / "0123abc.2");
  EXPECT_TRUE(fs::exists(take_over(4) / "checkpoint"));
  EXPECT_TRUE(fs::exists(results / "unfinished" / "0123abc.2"));
  EXPECT_FALSE(fs::exists(take_over(3) / "checkpoint")) << "never from one that came later";
}

TEST_F(UnfinishedFolder, IsCommittedOnce) {
  write_bytes(take_over(1) / "result.h5", "first");
  EXPECT_EQ(commit(1), Commit::done);
  EXPECT_TRUE(fs::exists(done / "result.h5"));
  // One that began late, or again.
  write_bytes(take_over(2) / "result.h5", "second");
  EXPECT_EQ(commit(2), Commit::there_was_one);
  EXPECT_EQ(fs::file_size(done / "result.h5"), 5u);
  EXPECT_TRUE(fs::exists(results / "unfinished" / "0123abc.2" / "result.h5"));
}

TEST_F(UnfinishedFolder, CommittedBetweenClaimAndTakeoverIsFoundDone) {
  write_bytes(take_over(1) / "result.h5", "first");
  EXPECT_EQ(commit(1), Commit::done);
  EXPECT_TRUE(fs::is_empty(take_over(2)));
}

TEST_F(UnfinishedFolder, KnowsItsOwnCommitOfWhichTheAnswerWasLost) {
  Attempts attempts;
  attempts.generation = 3;
  attempts.worker = "worker";
  write_attempts(take_over(3), attempts);
  fs::rename(results / "unfinished" / "0123abc.3", done);
  EXPECT_EQ(commit(3), Commit::done);
  EXPECT_EQ(commit(3, "another"), Commit::too_late);
  EXPECT_EQ(commit(2), Commit::too_late);
}

TEST_F(UnfinishedFolder, LeavesNothingBehindThatIsOlder) {
  for (const char* name : {"0123abc.1", "0123abc.2", "0123abc.3", "0123abd.1"})
    fs::create_directory(results / "unfinished" / name);
  write_bytes(results / "failed" / "0123abc.json", "");
  remove_leftovers(results, trial, 2);
  EXPECT_FALSE(fs::exists(results / "unfinished" / "0123abc.1"));
  EXPECT_FALSE(fs::exists(results / "unfinished" / "0123abc.2"));
  EXPECT_TRUE(fs::exists(results / "unfinished" / "0123abc.3"));
  EXPECT_TRUE(fs::exists(results / "unfinished" / "0123abd.1"));
  EXPECT_FALSE(fs::exists(results / "failed" / "0123abc.json"));
}

TEST_F(UnfinishedFolder, IsSetAsideUnderANameOfItsOwn) {
  fs::create_directory(done);
  write_bytes(done / "result.h5", "cut");
  EXPECT_EQ(set_aside(results, trial, 7), results / "set_aside" / "0123abc.7");
  EXPECT_TRUE(fs::exists(results / "set_aside" / "0123abc.7" / "result.h5"));
  EXPECT_FALSE(fs::exists(done));
}

TEST_F(UnfinishedFolder, TellsWhatCannotBeWritten) {
  fs::remove(results / "unfinished");
  EXPECT_THROW(take_over(1), WriteError);
  write_bytes(results / "unfinished", "");
  EXPECT_THROW(take_over(1), SystemError);
  EXPECT_THROW(commit(1), WriteError);
}

}  // namespace
}  // namespace gausscse
