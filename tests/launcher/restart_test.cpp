#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/philox.hpp"
#include "experiments/checkpoint/checkpoint_folder.hpp"
#include "experiments/results/result_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::RunSettings;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::write_bytes;

constexpr std::size_t largest_model = 64 << 20;

ProgramRun train(const TinyProject& project, const std::string& output, const RunSettings& settings = {},
                 const std::vector<std::string>& more = {"training.checkpoint_every=1"}) {
  std::vector<std::string> arguments{"train", project.trial().string(), "--threads", "1", "--set", "output=" + output};
  for (const std::string& given : more) {
    arguments.push_back("--set");
    arguments.push_back(given);
  }
  return run_program(arguments, settings);
}

/// Everything but times and where it ran.
void expect_same_run(const fs::path& a, const fs::path& b) {
  const RunResult one = read_result(a / "result.h5"), other = read_result(b / "result.h5");
  EXPECT_EQ(one.training.step, other.training.step);
  EXPECT_EQ(one.training.loss, other.training.loss);
  EXPECT_EQ(one.training.learning_rate, other.training.learning_rate);
  EXPECT_EQ(one.training.gradient_norm, other.training.gradient_norm);
  EXPECT_EQ(one.dev.step, other.dev.step);
  EXPECT_EQ(one.dev.auprc, other.dev.auprc);
  EXPECT_EQ(one.dev.direction_sim, other.dev.direction_sim);
  ASSERT_EQ(one.states.size(), other.states.size());
  for (std::size_t i = 0; i < one.states.size(); ++i) {
    EXPECT_EQ(one.states[i].step, other.states[i].step);
    EXPECT_EQ(one.states[i].dev.threshold, other.states[i].dev.threshold);
    ASSERT_EQ(one.states[i].tests.size(), other.states[i].tests.size());
    for (std::size_t k = 0; k < one.states[i].tests.size(); ++k) {
      EXPECT_EQ(one.states[i].tests[k].metrics.auprc, other.states[i].tests[k].metrics.auprc);
      EXPECT_EQ(one.states[i].tests[k].scores.sim_hypothesis_premise,
                other.states[i].tests[k].scores.sim_hypothesis_premise);
    }
  }
  for (const char* file : {"model.safetensors", "gaussian_head.safetensors"})
    EXPECT_EQ(read_whole_file(a / "model" / file, largest_model), read_whole_file(b / "model" / file, largest_model));
  EXPECT_FALSE(fs::exists(b / "checkpoints"));
  EXPECT_FALSE(fs::exists(b / ".lock"));
}

RunSettings with_kill(long call) {
  return {.ranks = 0,
          .largest_file = 0,
          .environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL}, {"GAUSSCSE_TEST_KILL_AT", std::to_string(call)}}};
}

/// Calls that an undisturbed run makes; it is left in the folder `whole`.
long calls_of_a_run(const TinyProject& project, const fs::path& folder,
                    const std::vector<std::string>& more = {"training.checkpoint_every=1"}) {
  const fs::path count = folder / "calls";
  const ProgramRun run =
      train(project, "whole",
            {.ranks = 0,
             .largest_file = 0,
             .environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL}, {"GAUSSCSE_TEST_CALLS", count.string()}}},
            more);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  return std::atol(read_whole_file(count, 100).c_str());
}

TEST(Restart, EndsWithTheSameBitsAfterAKillAnywhere) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const long calls = calls_of_a_run(project, folder.path());
  ASSERT_GT(calls, 50);
  constexpr int times = 30;
  PhiloxStream stream(11, 0);
  int killed = 0, resumed = 0;
  for (int i = 0; i < times; ++i) {
    const long call = 1 + stream.below(static_cast<std::uint32_t>(calls));
    const std::string output = concat("killed", i);
    if (train(project, output, with_kill(call)).exit_code == 0) continue;
    ++killed;
    const ProgramRun second = train(project, output);
    // What was killed after its result was in place is complete.
    if (second.exit_code == 2 && second.errors.find("holds a result.h5 already") != std::string::npos) continue;
    EXPECT_EQ(second.exit_code, 0) << "call " << call << ": " << second.errors;
    if (second.errors.find("going on after step") != std::string::npos) ++resumed;
    expect_same_run(folder / "whole", folder / output);
  }
  EXPECT_GT(killed, times / 2);
  EXPECT_GE(resumed, 5);
}

/// Every step has two all-reduces; a rank is killed before its k-th.
TEST(Restart, EndsWithTheSameBitsAfterAKillOfOneRank) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const RunSettings two_ranks{.ranks = 2, .largest_file = 0, .environment = {}};
  ASSERT_EQ(train(project, "whole", two_ranks).exit_code, 0);
  int resumed = 0;
  for (const char* rank : {"0", "1"}) {
    for (const char* all_reduce : {"2", "7", "12"}) {
      const std::string output = concat("killed", rank, "-", all_reduce);
      RunSettings settings = two_ranks;
      settings.environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL},
                              {"GAUSSCSE_TEST_KILL_RANK", rank},
                              {"GAUSSCSE_TEST_KILL_AT_ALL_REDUCE", all_reduce}};
      EXPECT_NE(train(project, output, settings).exit_code, 0);
      const ProgramRun second = train(project, output, two_ranks);
      EXPECT_EQ(second.exit_code, 0) << second.errors;
      if (second.errors.find("going on after step") != std::string::npos) ++resumed;
      expect_same_run(folder / "whole", folder / output);
    }
  }
  EXPECT_GE(resumed, 2);
}

/// Leaves a run that was killed when two checkpoints were there.
void kill_after_two_checkpoints(const TinyProject& project, const fs::path& folder, const std::string& output) {
  for (long call = calls_of_a_run(project, folder); call > 0; --call) {
    fs::remove_all(folder / output);
    ASSERT_NE(train(project, output, with_kill(call)).exit_code, 2);
    if (!fs::exists(folder / output / "result.h5") &&
        CheckpointFolder(folder / output / "checkpoints").steps().size() == 2)
      return;
  }
  FAIL() << "no kill left two checkpoints";
}

TEST(Restart, TakesTheCheckpointBeforeADamagedOne) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  kill_after_two_checkpoints(project, folder.path(), "damaged");
  const CheckpointFolder checkpoints(folder / "damaged" / "checkpoints");
  const std::vector<std::int64_t> steps = checkpoints.steps();
  const fs::path newest = checkpoints.file(steps.back());
  std::string bytes = read_whole_file(newest, largest_model);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  write_bytes(newest, bytes);
  const ProgramRun run = train(project, "damaged");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find(newest.string()), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find(concat("going on after step ", steps.front(), " of")), std::string::npos) << run.errors;
  expect_same_run(folder / "whole", folder / "damaged");
}

TEST(Restart, RefusesAnotherConfigurationAndShowsTheDifference) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  kill_after_two_checkpoints(project, folder.path(), "other");
  const ProgramRun run = train(project, "other", {}, {"training.checkpoint_every=1", "training.learning_rate=0.002"});
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("learning_rate: 0.001"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("learning_rate: 0.002"), std::string::npos) << run.errors;
  EXPECT_EQ(train(project, "other").exit_code, 0);
  expect_same_run(folder / "whole", folder / "other");
}

TEST(Restart, GoesOnAfterBeingAskedToStop) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::vector<std::string> no_checkpoints = {"training.checkpoint_every=0", "training.checkpoint_minutes=0"};
  const long calls = calls_of_a_run(project, folder.path(), no_checkpoints);
  int stopped = 0;
  for (const auto& [signal, code] : {std::pair<int, int>{SIGTERM, 143}, {SIGINT, 130}, {SIGUSR2, 140}}) {
    for (const long call : {calls / 4, calls / 3, calls / 2}) {
      const std::string output = concat("stopped", signal, "-", call);
      RunSettings settings = with_kill(call);
      settings.environment.emplace_back("GAUSSCSE_TEST_SIGNAL", std::to_string(signal));
      const ProgramRun run = train(project, output, settings, no_checkpoints);
      if (run.exit_code == 0) continue;  // came after the last step
      ++stopped;
      EXPECT_EQ(run.exit_code, code) << run.errors;
      EXPECT_NE(run.errors.find("stopped after step"), std::string::npos) << run.errors;
      EXPECT_EQ(train(project, output, {}, no_checkpoints).exit_code, 0);
      expect_same_run(folder / "whole", folder / output);
    }
  }
  EXPECT_GE(stopped, 2);
}

TEST(Restart, WritesACheckpointWhenAskedTo) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::vector<std::string> no_checkpoints = {"training.checkpoint_every=0", "training.checkpoint_minutes=0"};
  const std::vector<std::string> arguments{"train", project.trial().string(), "-v", "--threads", "1"};
  EXPECT_EQ(run_program(arguments).errors.find("checkpoint after step"), std::string::npos);
  const long calls = calls_of_a_run(project, folder.path(), no_checkpoints);
  std::vector<std::string> again = arguments;
  again.push_back("--overwrite");
  int written = 0;
  for (const long call : {calls / 5, calls / 4, calls / 3}) {
    RunSettings settings = with_kill(call);
    settings.environment.emplace_back("GAUSSCSE_TEST_SIGNAL", std::to_string(SIGUSR1));
    const ProgramRun run = run_program(again, settings);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    if (run.errors.find("checkpoint after step") != std::string::npos) ++written;
  }
  EXPECT_GE(written, 1) << "a signal before the last step asks for a checkpoint";
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
