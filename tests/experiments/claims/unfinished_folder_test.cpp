#include "experiments/claims/unfinished_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "base/atomic_file.hpp"
#include "base/file_calls.hpp"
#include "base/file_lock.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
class UnfinishedFolder : public testing::Test {
 protected:
  UnfinishedFolder() {
    for (const char* name : {"unfinished", "trials", "failed"}) fs::create_directory(results / name);
  }

  fs::path take_over(long generation) { return take_over_folder(results, trial, generation); }
  Commit commit(long generation, const char* worker = "worker") {
    return commit_folder(results, trial, generation, worker);
  }

  static std::string content_of(const fs::path& file) { return read_whole_file(file, 1 << 20); }
  std::vector<std::string> sorted_names(const fs::path& name) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(results / name)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
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
  EXPECT_TRUE(take_over(1).empty()) << "a training may run in it";
  write_bytes(first / "log.txt", "one\n");
  fs::create_directories(first / "model");
  write_bytes(first / "model" / "weights", "1234");
  const fs::path later = take_over(5);
  EXPECT_TRUE(fs::exists(later / "checkpoint"));
  EXPECT_EQ(content_of(later / "log.txt"), "one\n");
  EXPECT_EQ(content_of(later / "model" / "weights"), "1234");
  EXPECT_EQ(sorted_names("unfinished"), std::vector<std::string>{"0123abc.5"});
}

/// A program that still runs has the former folder as its working folder, and files of it open.
TEST_F(UnfinishedFolder, GivesAProgramOfItsFormerHolderNoPathToTheNewOne) {
  const fs::path first = take_over(1);
  fs::create_directory(first / "checkpoints");
  write_bytes(first / "checkpoints" / "step-000000005.safetensors", "five");
  write_bytes(first / "log.txt", "one\n");
  write_bytes(first / "progress.json", "5");
  // The lock is this process's while the folder is taken.
  const FileLock lock(first / ".gausscse.lock");
  const FileDescriptor working(::open(first.c_str(), O_RDONLY | O_DIRECTORY));
  const FileDescriptor log(::openat(working.get(), "log.txt", O_WRONLY | O_APPEND));
  const FileDescriptor half(
      ::openat(working.get(), "checkpoints/step-000000009.safetensors.tmp-here-17.5-0", O_WRONLY | O_CREAT, 0600));
  const fs::path later = take_over(2);
  EXPECT_EQ(sorted_names("unfinished"), (std::vector<std::string>{"0123abc.1.left", "0123abc.2"}));
  EXPECT_EQ(content_of(later / "checkpoints" / "step-000000005.safetensors"), "five");

  // All that such a program does: it writes on, to its open files and by paths from its folder.
  ASSERT_EQ(::write(log.get(), "late\n", 5), 5);
  ASSERT_EQ(::write(half.get(), "nine", 4), 4);
  ASSERT_EQ(::renameat(working.get(), "checkpoints/step-000000009.safetensors.tmp-here-17.5-0", working.get(),
                       "checkpoints/step-000000009.safetensors"),
            0);
  for (const char* name : {"progress.json", "report.json", "result.h5", "checkpoints/step-000000005.safetensors"})
    ASSERT_GE(FileDescriptor(::openat(working.get(), name, O_WRONLY | O_CREAT, 0600)).get(), 0) << name;
  ASSERT_EQ(::unlinkat(working.get(), "checkpoints/step-000000005.safetensors", 0), 0);

  EXPECT_EQ(content_of(later / "log.txt"), "one\n");
  EXPECT_EQ(content_of(later / "checkpoints" / "step-000000005.safetensors"), "five");
  EXPECT_EQ(sorted_names("unfinished/0123abc.2"), (std::vector<std::string>{"checkpoints", "log.txt"}));
  EXPECT_EQ(sorted_names("unfinished/0123abc.2/checkpoints"), std::vector<std::string>{"step-000000005.safetensors"});
  remove_leftovers(results, trial, 2);
  EXPECT_TRUE(sorted_names("unfinished").empty());
}

TEST_F(UnfinishedFolder, LeavesOutWhatKilledWritersDidNotFinish) {
  const fs::path first = take_over(1);
  fs::create_directories(first / "checkpoints");
  fs::create_directories(first / "model.tmp-vm-17.5-0");
  for (const char* name : {"run.json.tmp-vm-17.5-1", "attempts.json.tmp-vm-17-1", "trial.yaml.tmp-vm-17.5-2",
                           "checkpoints/step-000000005.safetensors.tmp-vm-17.5-3", "checkpoints/.gausscse",
                           "checkpoints/step-000000004.safetensors", "notes.tmp"})
    write_bytes(first / name, "x");
  take_over(2);
  EXPECT_EQ(sorted_names("unfinished/0123abc.2"), (std::vector<std::string>{"checkpoints", "notes.tmp"}));
  EXPECT_EQ(sorted_names("unfinished/0123abc.2/checkpoints"),
            (std::vector<std::string>{".gausscse", "step-000000004.safetensors"}));
  EXPECT_EQ(sorted_names("unfinished"), std::vector<std::string>{"0123abc.2"});
}

/// Whenever its new holder is killed, the next one finds all.
TEST_F(UnfinishedFolder, IsWholeAgainBehindATakeoverThatWasKilled) {
  std::size_t kills = 0;
  for (std::size_t k = 1;; ++k, ++kills) {
    fs::remove_all(results / "unfinished");
    fs::create_directory(results / "unfinished");
    const fs::path first = take_over(1);
    fs::create_directories(first / "checkpoints");
    fs::create_directories(first / "model");
    write_attempts(first,
                   {.generation = 1, .worker = "one", .started = 4, .seconds = 9, .hosts = {"one"}, .process = {}});
    const std::vector<std::string> files{"checkpoints/a", "checkpoints/b", "log.txt", "model/weights", "result.h5"};
    for (const std::string& name : files) write_bytes(first / name, "of " + name);
    const bool killed = killed_before_call(k, [&] { take_over(2); });
    const fs::path last = take_over(3);
    for (const std::string& name : files) EXPECT_EQ(content_of(last / name), "of " + name) << k;
    EXPECT_EQ(read_attempts(last).started, 4) << k;
    EXPECT_EQ(sorted_names("unfinished"), std::vector<std::string>{"0123abc.3"}) << k;
    if (!killed) break;
  }
  EXPECT_GT(kills, 10u);
  count_disturbance("SIGKILL to a worker that takes a folder over, before each of its calls", kills);
}

/// A symbolic link to another user's folder.
TEST_F(UnfinishedFolder, IsNeverReachedThroughALink) {
  const fs::path others = folder / "others";
  fs::create_directory(others);
  write_bytes(others / "run.json", "mine");
  fs::create_directory_symlink(others, results / "unfinished" / "0123abc.1");
  const fs::path own = take_over(2);
  EXPECT_TRUE(fs::is_empty(own));
  EXPECT_FALSE(fs::is_symlink(own));
  EXPECT_EQ(content_of(others / "run.json"), "mine");
  remove_leftovers(results, trial, 2);
  EXPECT_EQ(content_of(others / "run.json"), "mine");
  EXPECT_TRUE(sorted_names("unfinished").empty());

  fs::create_directory_symlink(others, results / "unfinished" / "0123abc.3");
  EXPECT_THROW(take_over(3), WriteError) << "in the place of its own";
  const fs::path secret = folder / "secret";
  write_bytes(secret, "secret");
  fs::create_directory(results / "unfinished" / "0123abc.4");
  for (const char* name : {"log.txt", "attempts.json"})
    fs::create_symlink(secret, results / "unfinished" / "0123abc.4" / name);
  EXPECT_TRUE(fs::is_empty(take_over(5)));
}

TEST_F(UnfinishedFolder, HasAGenerationThatCanBeRaised) {
  for (const char* name : {"0123abc.9223372036854775807", "0123abc.1000000000001", "0123abc.01"})
    fs::create_directory(results / "unfinished" / name);
  fs::create_directory(results / "unfinished" / "0123abc.1000000000000");
  EXPECT_EQ(generations_of(results / "unfinished", trial), std::set<long>{1'000'000'000'000});
  write_bytes(results / "unfinished" / "attempts.json",
              "{\"format\": \"gausscse-attempts/1\", \"generation\": 9223372036854775807, \"worker\": \"\", "
              "\"started\": 1, \"seconds\": 1, \"hosts\": [], "
              "\"process\": {\"host\": \"\", \"boot\": \"\", \"number\": 0, \"start\": 0}}");
  EXPECT_EQ(read_attempts(results / "unfinished").generation, 0);
}

/// A worker that was killed noted nothing of the last minute or so; files show when they were written.
TEST_F(UnfinishedFolder, ReportsWhatAnAttemptTookOfWhichNobodyKnowsTheEnd) {
  const fs::path first = take_over(1);
  const fs::file_time_type begin = fs::file_time_type::clock::now() - std::chrono::hours(3);
  const auto written = [&](const char* name, std::chrono::milliseconds after) {
    write_bytes(first / name, "x");
    fs::last_write_time(first / name, begin + after);
  };
  fs::create_directory(first / "checkpoints");
  write_bytes(first / "checkpoints" / "step-000000005.safetensors", "five");
  fs::last_write_time(first / "checkpoints", begin + std::chrono::seconds(20));
  written("trial.yaml", std::chrono::milliseconds(0));
  written("log.txt", std::chrono::milliseconds(26'500));
  written("progress.json", std::chrono::milliseconds(26'000));
  Attempts attempts{.generation = 1,
                    .worker = "one",
                    .started = 2,
                    .seconds = 100,
                    .hosts = {"one"},
                    .process = {},
                    .earlier_seconds = 90};
  attempts.process.number = 17;
  write_attempts(first, attempts);
  EXPECT_NEAR(seconds_by_files(first), 26.5, 1e-3);
  EXPECT_NEAR(read_attempts(take_over(2)).seconds, 116.5, 1e-3);

  // One whose end was noted took the noted time.
  attempts.process.number = 0;
  write_attempts(results / "unfinished" / "0123abc.2", attempts);
  write_bytes(results / "unfinished" / "0123abc.2" / "trial.yaml", "x");
  fs::last_write_time(results / "unfinished" / "0123abc.2" / "trial.yaml", begin);
  EXPECT_DOUBLE_EQ(read_attempts(take_over(3)).seconds, 100);
}

TEST_F(UnfinishedFolder, FencesItsFormerHolderOff) {
  const fs::path first = take_over(1);
  take_over(2);
  EXPECT_THROW(write_file_atomically(first / "result.h5", "late"), WriteError);
  EXPECT_EQ(commit(1), Commit::too_late);
  EXPECT_FALSE(fs::exists(done));
}

/// A holder that was stopped between its claim and its folder makes this when it goes on, after the takeover.
TEST_F(UnfinishedFolder, IsTakenThoughAFormerHolderMadeItsFolderAgain) {
  const fs::path first = take_over(1);
  const FileLock in_use(first / ".gausscse.lock");
  write_bytes(take_over(2) / "result.h5", "second");
  fs::create_directories(first / "checkpoints");
  write_bytes(first / "result.h5", "first");
  const fs::path third = take_over(3);
  EXPECT_EQ(content_of(third / "result.h5"), "second");
  EXPECT_FALSE(fs::exists(third / "checkpoints"));
  EXPECT_EQ(commit(3), Commit::done);
  remove_leftovers(results, trial, 3);
  EXPECT_EQ(sorted_names("unfinished"), std::vector<std::string>());
}

TEST_F(UnfinishedFolder, IsTakenFromTheLastHolderNotFromAnOlderOne) {
  write_bytes(take_over(3) / "checkpoint", "new");
  fs::create_directory(results / "unfinished" / "0123abc.2");
  write_bytes(results / "unfinished" / "0123abc.2" / "checkpoint", "old");
  EXPECT_EQ(content_of(take_over(4) / "checkpoint"), "new");
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

TEST_F(UnfinishedFolder, ReportsWhatCannotBeWritten) {
  fs::remove(results / "unfinished");
  EXPECT_THROW(take_over(1), WriteError);
  write_bytes(results / "unfinished", "");
  EXPECT_THROW(take_over(1), SystemError);
  EXPECT_THROW(commit(1), WriteError);
}

TEST(HowItGoesOn, IsFromAWholeCheckpointOrFromTheBegin) {
  const TemporaryFolder folder;
  const std::string anew = "starts again, as it has no checkpoint";
  EXPECT_EQ(how_it_goes_on(folder.path()), anew);
  std::filesystem::create_directory(folder / "checkpoints");
  write_bytes(folder / "checkpoints/.gausscse", "mark");
  write_bytes(folder / "checkpoints/step-000000002.safetensors.tmp-vm-17-1", "half of one");
  EXPECT_EQ(how_it_goes_on(folder.path()), anew);
  write_bytes(folder / "checkpoints/step-000000002.safetensors", "one");
  EXPECT_EQ(how_it_goes_on(folder.path()), "goes on from its last checkpoint");
}

}  // namespace
}  // namespace gausscse
