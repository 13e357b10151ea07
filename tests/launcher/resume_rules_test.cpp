#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/checkpoint/checkpoint_folder.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::expect_same_run;
using testing_support::kill_after_two_checkpoints;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::train;
using testing_support::train_arguments;
using testing_support::with_kill_of_rank;
using testing_support::write_bytes;

const std::vector<std::string> every_step = {"training.checkpoint_every=1"};
const std::vector<std::string> faster = {"training.checkpoint_every=1", "training.learning_rate=0.002"};

/// The folder `killed` has two checkpoints of a run that was killed, `whole` the same run undisturbed.
class ResumeRules : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(kill_after_two_checkpoints(project_, "killed")); }

  ProgramRun train_with_overwrite(const std::vector<std::string>& overrides) const {
    std::vector<std::string> arguments = train_arguments(project_, "killed", overrides);
    arguments.push_back("--overwrite");
    return run_program(arguments);
  }

  /// Expects the same command to be refused because of `what`, and the checkpoints to stay.
  void expect_refusal(const std::string& what) const {
    const ProgramRun run = train(project_, "killed");
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_NE(run.errors.find("holds checkpoints of another configuration"), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find(what), std::string::npos) << run.errors;
    EXPECT_EQ(CheckpointFolder(folder_ / "killed" / "checkpoints").steps().size(), 2u);
  }

  TemporaryFolder folder_;
  TinyProject project_{folder_.path()};
};

TEST_F(ResumeRules, AnotherConfigurationIsRefusedWithTheDifference) {
  const ProgramRun run = train(project_, "killed", {}, faster);
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("learning_rate: 0.001"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("learning_rate: 0.002"), std::string::npos) << run.errors;
  EXPECT_EQ(train(project_, "killed").exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder_ / "whole", folder_ / "killed"));
}

TEST_F(ResumeRules, OverwriteKeepsCheckpointsThatFit) {
  const ProgramRun run = train_with_overwrite(every_step);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("going on after step"), std::string::npos) << run.errors;
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder_ / "whole", folder_ / "killed"));
}

TEST_F(ResumeRules, OverwriteRemovesCheckpointsOfAnotherConfiguration) {
  ASSERT_EQ(train(project_, "anew", {}, faster).exit_code, 0);
  const ProgramRun run = train_with_overwrite(faster);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("are of another configuration: removed"), std::string::npos) << run.errors;
  EXPECT_EQ(run.errors.find("going on"), std::string::npos) << run.errors;
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder_ / "anew", folder_ / "killed"));
}

TEST_F(ResumeRules, OtherContentOfADataFileIsRefused) {
  write_bytes(project_.dev(), read_whole_file(project_.dev(), 1 << 20) +
                                  "{\"gold_label\": \"neutral\", \"sentence1\": \"w1 w2\", \"sentence2\": \"w3\"}\n");
  expect_refusal("content of " + project_.dev().string());
}

TEST_F(ResumeRules, AnotherWeightIsRefused) {
  const fs::path weights = project_.model() / "model.safetensors";
  std::string bytes = read_whole_file(weights, 1 << 20);
  // The file ends with a float; its first byte has the lowest bits of the mantissa.
  char& lowest = bytes[bytes.size() - 4];
  lowest = static_cast<char>(lowest ^ 1);
  write_bytes(weights, bytes);
  expect_refusal("content of the initial weights");
}

/// A rank has one all-reduce a step in this mode.
TEST(Resume, ARankInvariantRunGoesOnWithAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::vector<std::string> overrides = {"training.checkpoint_every=1", "reproducibility=rank_invariant"};
  ASSERT_EQ(train(project, "whole", {}, overrides).exit_code, 0);
  const ProgramRun first = train(project, "killed", with_kill_of_rank(2, 1, 5), overrides);
  EXPECT_NE(first.exit_code, 0);
  EXPECT_NE(first.errors.find("signal 9"), std::string::npos) << first.errors;
  const ProgramRun second = train(project, "killed", {}, overrides);
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_NE(second.errors.find("going on after step"), std::string::npos) << second.errors;
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder / "whole", folder / "killed"));
}

}  // namespace
}  // namespace gausscse
