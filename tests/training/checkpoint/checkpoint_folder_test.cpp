#include "training/checkpoint/checkpoint_folder.hpp"

#include "base/folder_mark.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"
#include "training/checkpoint/checkpoint_file.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using Steps = std::vector<std::int64_t>;

TrainingState newest_of(const CheckpointFolder& checkpoints, std::size_t expected_problems = 0) {
  std::vector<std::string> problems;
  auto state = checkpoints.newest(problems);
  EXPECT_EQ(problems.size(), expected_problems);
  EXPECT_TRUE(state.has_value());
  return state ? std::move(*state) : TrainingState();
}

struct DisturbedWrite {
  bool fired;    ///< there was a k-th call
  bool failed;   ///< with any error
  bool damaged;  ///< with the finding that the new checkpoint differs from the bytes written
};

/// Writes the states after steps 2 and 4, and that after step 6 with a fault at the k-th call.
DisturbedWrite write_with_fault(const CheckpointFolder& checkpoints, std::size_t k, Fault fault, Repeat repeat) {
  checkpoints.write(sample_state(2));
  checkpoints.write(sample_state(4));
  DisturbedWrite write{};
  FaultInjection injection(k, fault, repeat);
  try {
    checkpoints.write(sample_state(6));
  } catch (const DamagedCheckpoint&) {
    write.failed = write.damaged = true;
  } catch (const std::exception&) {
    write.failed = true;
  }
  injection.stop();
  write.fired = injection.fired();
  return write;
}

TEST(CheckpointFolder, KeepsTheLastTwo) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  std::vector<std::string> problems;
  EXPECT_FALSE(checkpoints.newest(problems));
  EXPECT_EQ(checkpoints.steps(), Steps{});
  checkpoints.write(sample_state(2));
  EXPECT_EQ(checkpoints.steps(), Steps{2});
  checkpoints.write(sample_state(4));
  checkpoints.write(sample_state(10));
  EXPECT_EQ(checkpoints.steps(), (Steps{4, 10}));
  expect_equal(newest_of(checkpoints), sample_state(10));
  checkpoints.remove();
  EXPECT_FALSE(fs::exists(checkpoints.path()));
}

TEST(CheckpointFolder, TakesTheOneBeforeADamagedOne) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  checkpoints.write(sample_state(4));
  checkpoints.write(sample_state(6));
  fs::resize_file(checkpoints.file(6), fs::file_size(checkpoints.file(6)) - 1);
  std::vector<std::string> problems;
  const auto state = checkpoints.newest(problems);
  ASSERT_TRUE(state.has_value());
  expect_equal(*state, sample_state(4));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find(checkpoints.file(6).string()), std::string::npos) << problems[0];
  EXPECT_EQ(checkpoints.steps(), Steps{4});
}

TEST(CheckpointFolder, FollowsNoLink) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  checkpoints.write(sample_state(4));
  checkpoints.write(sample_state(6));
  fs::rename(checkpoints.file(6), folder / "moved");
  fs::create_symlink(folder / "moved", checkpoints.file(6));
  std::vector<std::string> problems;
  const auto state = checkpoints.newest(problems);
  ASSERT_TRUE(state.has_value());
  expect_equal(*state, sample_state(4));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find(checkpoints.file(6).string() + ": is a symbolic link"), std::string::npos) << problems[0];
}

TEST(CheckpointFolder, LeavesWhatItDidNotWrite) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  fs::create_directory(checkpoints.path());
  // The last has a name much like a checkpoint's, but not one that is ever written.
  const std::vector<fs::path> foreign = {checkpoints.path() / "mine.bin", checkpoints.path() / "step-4.safetensors"};
  for (const fs::path& path : foreign) write_bytes(path, "mine");
  checkpoints.check();
  EXPECT_EQ(checkpoints.steps(), Steps{});
  for (const std::int64_t step : {2, 4, 6}) checkpoints.write(sample_state(step));
  EXPECT_EQ(checkpoints.steps(), (Steps{4, 6}));
  expect_equal(newest_of(checkpoints), sample_state(6));
  checkpoints.remove();
  for (const fs::path& path : foreign) EXPECT_EQ(read_whole_file(path, 100), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(checkpoints.path()), fs::directory_iterator()), 2);
}

TEST(CheckpointFolder, RefusesAForeignFileWithACheckpointsName) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  fs::create_directory(checkpoints.path());
  write_bytes(checkpoints.file(6), "mine");
  EXPECT_TRUE(says(refusal_of([&] { checkpoints.check(); }), checkpoints.file(6).string()));
  std::vector<std::string> problems;
  EXPECT_FALSE(checkpoints.newest(problems));
  EXPECT_THROW(checkpoints.write(sample_state(6)), InputError);
  checkpoints.remove();
  EXPECT_EQ(read_whole_file(checkpoints.file(6), 100), "mine");
}

TEST(CheckpointFolder, RefusesAFileInItsPlaceAndAForeignMark) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "mine");
  EXPECT_TRUE(says(refusal_of([&] { CheckpointFolder(folder / "file").check(); }), "is a file"));
  CheckpointFolder(folder / "file").remove();
  EXPECT_EQ(read_whole_file(folder / "file", 100), "mine");
  mark_folder(folder.path(), FolderKind::output);
  EXPECT_TRUE(says(refusal_of([&] { CheckpointFolder(folder.path()).check(); }), "is in the way"));
  EXPECT_EQ(refusal_of([&] { CheckpointFolder(folder / "none").check(); }), "accepted");
}

/// A worker that takes a trial over renames its folder: the former run must not make the path again.
TEST(CheckpointFolder, IsNotMadeInAFolderThatIsGone) {
  const TemporaryFolder folder;
  const fs::path run = folder / "run", renamed = folder / "renamed";
  fs::create_directory(run);
  const CheckpointFolder checkpoints(run / "checkpoints");
  checkpoints.write(sample_state(1));
  fs::rename(run, renamed);
  EXPECT_THROW(checkpoints.write(sample_state(2)), WriteError);
  EXPECT_FALSE(fs::exists(run));
  expect_equal(newest_of(CheckpointFolder(renamed / "checkpoints")), sample_state(1));
}

TEST(CheckpointFolder, KnowsItsOwnNames) {
  for (const char* name : {"step-000000012.safetensors", "step-1234567890.safetensors", ".gausscse"})
    EXPECT_TRUE(CheckpointFolder::is_own_name(name)) << name;
  for (const char* name : {"step-12.safetensors", "step-00000012x.safetensors", "step-000000012.safetensors.bak",
                           "step-.safetensors", "step--00000012.safetensors", "mine.bin", ""})
    EXPECT_FALSE(CheckpointFolder::is_own_name(name)) << name;
}

/// After a failure of any call the folder holds the last two or three whole checkpoints, and never a lesser one.
TEST(CheckpointFolder, SurvivesAFailureOfEveryCall) {
  for (const Fault fault : {Fault::no_space, Fault::io_error, Fault::interrupted, Fault::short_write}) {
    for (const Repeat repeat : {Repeat::once, Repeat::from_then_on}) {
      if (fault == Fault::interrupted && repeat == Repeat::from_then_on) continue;  // waits for ever, as it should
      std::size_t hits = 0;
      for (std::size_t k = 1;; ++k) {
        const TemporaryFolder folder;
        const CheckpointFolder checkpoints(folder / "checkpoints");
        const DisturbedWrite write = write_with_fault(checkpoints, k, fault, repeat);
        const Steps there = checkpoints.steps();
        EXPECT_TRUE(there == (Steps{2, 4}) || there == (Steps{4, 6}) || there == (Steps{2, 4, 6})) << k;
        if (!write.failed) {
          EXPECT_EQ(there.back(), 6) << k;
        }
        expect_equal(newest_of(checkpoints), sample_state(there.back()));
        for (const auto& entry : fs::directory_iterator(checkpoints.path()))
          EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << k << " " << entry.path();
        if (!write.fired) break;
        ++hits;
        count_disturbance("calls of writers that failed or were cut short, one at a time");
      }
      EXPECT_GE(hits, fault == Fault::short_write ? 1u : 5u);
    }
  }
}

/// A disk that stores other bytes than it was given: the new checkpoint is read again before an older one goes.
TEST(CheckpointFolder, SurvivesAWrongBitInEveryWrite) {
  std::size_t hits = 0;
  for (std::size_t k = 1;; ++k) {
    const TemporaryFolder folder;
    const CheckpointFolder checkpoints(folder / "checkpoints");
    const DisturbedWrite write = write_with_fault(checkpoints, k, Fault::wrong_bytes, Repeat::once);
    EXPECT_EQ(write.failed, write.fired) << k;
    EXPECT_EQ(write.damaged, write.fired) << k;
    if (!write.fired) break;
    ++hits;
    count_disturbance("writes that stored a wrong bit and reported success");
    EXPECT_EQ(checkpoints.steps(), (Steps{2, 4, 6})) << k;
    expect_equal(newest_of(checkpoints, 1), sample_state(4));
  }
  EXPECT_GE(hits, 10u);
}

}  // namespace
}  // namespace gausscse
