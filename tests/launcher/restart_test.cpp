#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/philox.hpp"
#include "experiments/checkpoint/checkpoint_folder.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::best_step_of;
using testing_support::calls_of_a_run;
using testing_support::expect_same_result;
using testing_support::expect_same_run;
using testing_support::kill_after_two_checkpoints;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::train;
using testing_support::train_arguments;
using testing_support::with_kill;
using testing_support::with_kill_of_rank;
using testing_support::with_signal;
using testing_support::write_bytes;

const std::vector<std::string> no_checkpoints = {"training.checkpoint_every=0", "training.checkpoint_minutes=0"};

TEST(Restart, EndsWithTheSameBitsAfterAKillAnywhere) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const long calls = calls_of_a_run(project);
  ASSERT_GT(calls, 50);
  ASSERT_LT(best_step_of(folder / "whole"), 6) << "else nothing shows that the best state is restored";
  constexpr int times = 30;
  PhiloxStream stream(11, 0);
  int killed = 0, resumed = 0;
  for (int i = 0; i < times; ++i) {
    const long call = 1 + stream.below(static_cast<std::uint32_t>(calls));
    const std::string output = concat("killed", i);
    const ProgramRun first = train(project, output, with_kill(call));
    if (first.exit_code == 0) continue;  // came after the last call
    ++killed;
    EXPECT_EQ(first.exit_code, 137) << "call " << call << ": " << first.errors;
    const ProgramRun second = train(project, output);
    // What was killed after its result was in place is complete; its checkpoints may be left.
    if (second.exit_code == 2 && second.errors.find("holds a result.h5 already") != std::string::npos) {
      ASSERT_NO_FATAL_FAILURE(expect_same_result(folder / "whole", folder / output)) << "call " << call;
      continue;
    }
    EXPECT_EQ(second.exit_code, 0) << "call " << call << ": " << second.errors;
    if (second.errors.find("going on after step") != std::string::npos) ++resumed;
    ASSERT_NO_FATAL_FAILURE(expect_same_run(folder / "whole", folder / output)) << "call " << call;
  }
  EXPECT_GT(killed, times / 2);
  EXPECT_GE(resumed, 5);
}

/// Every step has two all-reduces; a rank is killed before its k-th. No rank begins a step before rank 0 has written
/// every checkpoint but the newest, so that the kills in the fourth and in the sixth step leave some.
TEST(Restart, EndsWithTheSameBitsAfterAKillOfOneRank) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  ASSERT_EQ(train(project, "whole", {.ranks = 2}).exit_code, 0);
  ASSERT_LT(best_step_of(folder / "whole"), 6) << "else nothing shows that the best state is restored";
  int resumed = 0;
  for (const int rank : {0, 1}) {
    for (const int all_reduce : {2, 7, 12}) {
      const std::string output = concat("killed", rank, "-", all_reduce);
      const ProgramRun first = train(project, output, with_kill_of_rank(2, rank, all_reduce));
      EXPECT_NE(first.exit_code, 0) << output;
      EXPECT_NE(first.errors.find("signal 9"), std::string::npos) << output << ": " << first.errors;
      const ProgramRun second = train(project, output, {.ranks = 2});
      EXPECT_EQ(second.exit_code, 0) << second.errors;
      if (second.errors.find("going on after step") != std::string::npos) ++resumed;
      ASSERT_NO_FATAL_FAILURE(expect_same_run(folder / "whole", folder / output)) << output;
    }
  }
  EXPECT_EQ(resumed, 4);
}

TEST(Restart, TakesTheCheckpointBeforeADamagedOne) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  ASSERT_NO_FATAL_FAILURE(kill_after_two_checkpoints(project, "damaged"));
  const CheckpointFolder checkpoints(folder / "damaged" / "checkpoints");
  const std::vector<std::int64_t> steps = checkpoints.steps();
  const fs::path newest = checkpoints.file(steps.back());
  std::string bytes = read_whole_file(newest, std::size_t{64} << 20);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  write_bytes(newest, bytes);
  const ProgramRun run = train(project, "damaged");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find(newest.string()), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find(concat("going on after step ", steps.front(), " of")), std::string::npos) << run.errors;
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder / "whole", folder / "damaged"));
}

/// The digits after the first `words` in `text`; empty where there are none.
std::string number_after(const std::string& text, const std::string& words) {
  const std::size_t place = text.find(words);
  if (place == std::string::npos) return {};
  const std::size_t begin = place + words.size();
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

TEST(Restart, GoesOnFromWhereItWasAskedToStop) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const long calls = calls_of_a_run(project, no_checkpoints);
  for (const auto& [signal, code] : {std::pair<int, int>{SIGTERM, 143}, {SIGINT, 130}, {SIGUSR2, 140}}) {
    int stopped = 0;
    for (const long call : {calls / 5, calls / 4, calls / 3}) {
      const std::string output = concat("stopped", signal, "-", call);
      const ProgramRun first = train(project, output, with_signal(with_kill(call), signal), no_checkpoints);
      if (first.exit_code == 0) continue;  // came after the last step
      ++stopped;
      EXPECT_EQ(first.exit_code, code) << first.errors;
      const std::string step = number_after(first.errors, "stopped after step ");
      EXPECT_NE(step, "") << first.errors;
      const ProgramRun second = train(project, output, {}, no_checkpoints);
      EXPECT_EQ(second.exit_code, 0) << second.errors;
      EXPECT_NE(second.errors.find(concat("going on after step ", step, " of ")), std::string::npos) << second.errors;
      ASSERT_NO_FATAL_FAILURE(expect_same_run(folder / "whole", folder / output)) << output;
    }
    EXPECT_GE(stopped, 1) << "signal " << signal;
  }
}

TEST(Restart, WritesACheckpointWhenAskedTo) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  std::vector<std::string> arguments = train_arguments(project);
  arguments.push_back("-v");
  EXPECT_EQ(run_program(arguments).errors.find("checkpoint after step"), std::string::npos);
  const long calls = calls_of_a_run(project, no_checkpoints);
  arguments.push_back("--overwrite");
  int written = 0;
  for (const long call : {calls / 5, calls / 4, calls / 3}) {
    const ProgramRun run = run_program(arguments, with_signal(with_kill(call), SIGUSR1));
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    if (run.errors.find("checkpoint after step") != std::string::npos) ++written;
  }
  EXPECT_GE(written, 1) << "a signal before the last step asks for a checkpoint";
}

TEST(Restart, WritesACheckpointWhenTheMinutesHavePassed) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  std::vector<std::string> arguments =
      train_arguments(project, "", {"training.checkpoint_every=0", "training.checkpoint_minutes=1e-9"});
  arguments.push_back("-v");
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("checkpoint after step 1"), std::string::npos) << run.errors;
}

/// A checkpoint takes about four times the bytes of the model, and no other file as many as twice.
TEST(Restart, ACheckpointThatCannotBeWrittenIsAWarning) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::uint64_t largest_file = 2 * fs::file_size(project.model() / "model.safetensors");
  const ProgramRun run = train(project, "out", {.largest_file = largest_file});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("warning: the checkpoint of step 1 is lost"), std::string::npos) << run.errors;
  EXPECT_TRUE(fs::exists(project.output() / "result.h5"));
  EXPECT_FALSE(fs::exists(project.output() / "checkpoints"));
}

TEST(Restart, KeepsASecondRunOutOfTheFolder) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  fs::create_directories(project.output());
  const FileLock lock(project.output() / ".lock");
  const ProgramRun run = train(project, "out");
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("in use by another run"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace gausscse
