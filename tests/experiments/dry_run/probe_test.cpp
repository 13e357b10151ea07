#include "experiments/dry_run/probe.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

/// Returns a trial of tasks with these periods.
Trial trial_with_tasks(const std::vector<std::int64_t>& periods) {
  Trial trial;
  for (const std::int64_t eval_every : periods)
    trial.tasks.push_back({.name = "t", .eval_every = eval_every, .of_kind = NliTaskSettings{.file = "/dev"}});
  return trial;
}

TEST(ProbeTrial, IsShortAndMeasuresTwiceWhatIsMeasuredWhileTraining) {
  Trial trial = trial_with_tasks({50, 0});
  trial.training.checkpoint_every = 1;
  trial.select = {"t", "auprc"};
  const Trial probe = probe_trial(trial);
  EXPECT_EQ(probe.training.max_steps, 5);
  EXPECT_EQ(probe.training.checkpoint_every, 0);
  EXPECT_EQ(probe.training.checkpoint_minutes, 0);
  EXPECT_EQ(probe.tasks[0].eval_every, 4);
  EXPECT_EQ(probe.tasks[1].eval_every, 0);
  EXPECT_EQ(probe.select, trial.select);
}

/// Start 3 s, steps of 8, 0.5, 0.5, 0.75 and 1.25 s, and 6 s for the end: median of the later steps 0.625 s.
TEST(SecondsOfTrial, LeaveTheFirstStepOutOfTheTimeOfAStep) {
  const std::vector<double> steps{8, 0.5, 0.5, 0.75, 1.25};
  EXPECT_DOUBLE_EQ(seconds_of_trial(trial_with_tasks({0}), 100, {11, 14, 20, steps}), 3 + 100 * 0.625 + 6);
  EXPECT_DOUBLE_EQ(seconds_of_trial(trial_with_tasks({}), 7, {5, 5, 6, {2}}), 3 + 7 * 2 + 1) << "there is no other";
  // Two tasks are measured in 4 s before the first step and in 4 s before the last: 2 s each.
  EXPECT_DOUBLE_EQ(seconds_of_trial(trial_with_tasks({50, 30, 0}), 100, {15, 22, 28, steps}),
                   3 + 100 * 0.625 + (2 + 4) * 2 + 6);
}

TEST(LearnByProbes, TellHowAProbeFailedAndLeaveNothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "program", "#!/bin/sh\necho no such model\nexit 3\n");
  fs::permissions(folder / "program", fs::perms::owner_all);
  const pid_t ended = ::fork();
  ASSERT_GE(ended, 0);
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  const fs::path cache = folder / "cache", others = cache / concat("notes.tmp-", host_name(), "-", ended, "-0");
  fs::create_directories(cache / concat("probe.tmp-", host_name(), "-", ended, "-0") / "0");
  fs::create_directories(others);
  Trial first = trial_with_tasks({}), same = first, second = first;
  same.training.seed = 7;
  second.training.batch_size = 32;
  const std::vector<const Trial*> trials{&first, &same, &second};
  TrialCosts costs;
  std::size_t probes = 0;
  const std::vector<std::string> problems = learn_by_probes(
      trials, {.resources = {}, .slots = std::vector<TrialSlot>(3), .program = folder / "program", .folder = cache},
      costs, [&](std::size_t count) { probes = count; });
  EXPECT_EQ(probes, 2u);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(says(problems[1], "exit code 3"));
  EXPECT_TRUE(says(problems[1], "no such model"));
  EXPECT_FALSE(costs.expected(first));
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache)) left.push_back(entry.path());
  EXPECT_EQ(left, std::vector<fs::path>{others}) << "of another name";
}

}  // namespace
}  // namespace gausscse
