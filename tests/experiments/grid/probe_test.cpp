#include "experiments/grid/probe.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/host_name.hpp"
#include "tests/experiments/grid/cost_law.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::CostLaw;
using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::trial_of;
using testing_support::write_bytes;
using enum TrialStatus;

StudyPlanEntry entry_of(const Trial& trial) {
  StudyPlanEntry entry;
  entry.trial = trial;
  return entry;
}

TEST(UnknownKinds, AreThoseToRunOfWhichNothingIsKnown) {
  Trial other = trial_of(32);
  other.model.backbone.path = "/models/other";
  Trial done_kind = trial_of(32);
  done_kind.model.backbone.path = "/models/done";
  const std::vector<StudyPlanEntry> plan{entry_of(trial_of(64)), entry_of(trial_of(16)), entry_of(trial_of(32)),
                                         entry_of(other),        entry_of(done_kind),    StudyPlanEntry{}};
  const std::vector<TrialStatus> statuses{planned, interrupted, planned, planned, done, waiting};
  TrialCosts costs;
  const auto unknown = [&] { return unknown_kinds(plan, statuses, costs, Resources()); };
  ASSERT_EQ(unknown().size(), 2u);
  EXPECT_EQ(unknown()[0].trial, trial_of(64));
  EXPECT_EQ(unknown()[0].batch_sizes, (std::vector<std::int64_t>{16, 64}));
  EXPECT_EQ(unknown()[1].trial, other);
  EXPECT_EQ(unknown()[1].batch_sizes, std::vector<std::int64_t>{32});
  costs.learn(trial_of(64), CostLaw().run(trial_of(64)));
  ASSERT_EQ(unknown().size(), 1u);
  EXPECT_EQ(unknown()[0].trial, other);
  Resources more;
  more.threads = 2;
  EXPECT_EQ(unknown_kinds(plan, statuses, costs, more).size(), 2u);
}

/// A program that notes each of its runs and fails, saying why.
class ProbeOfAFailingProgram : public testing::Test {
 protected:
  ProbeOfAFailingProgram() {
    write_bytes(folder_ / "program",
                "#!/bin/sh\necho run >> \"" + (folder_ / "runs").string() + "\"\necho no such model\nexit 3\n");
    fs::permissions(folder_ / "program", fs::perms::owner_all);
    settings_.slots.resize(1);
    settings_.program = folder_ / "program";
    settings_.cache_folder = folder_ / "cache";
  }

  const TemporaryFolder folder_;
  ProbeSettings settings_;
};

TEST_F(ProbeOfAFailingProgram, SaysHowItFailedAndLeavesNothing) {
  const std::string refusal = refusal_of([&] { probe({trial_of(32), {32}}, settings_); });
  EXPECT_TRUE(says(refusal, "exit code 3"));
  EXPECT_TRUE(says(refusal, "no such model"));
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(ProbeOfAFailingProgram, RemovesWhatAKilledOneLeft) {
  const pid_t ended = ::fork();
  ASSERT_GE(ended, 0);
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  const fs::path cache = settings_.cache_folder, others = cache / concat("notes.tmp-", host_name(), "-", ended, "-0");
  fs::create_directories(cache / concat("probe.tmp-", host_name(), "-", ended, "-0") / "0");
  fs::create_directories(others);
  refusal_of([&] { probe({trial_of(32), {32}}, settings_); });
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache)) left.push_back(entry.path());
  EXPECT_EQ(left, std::vector<fs::path>{others});
}

TEST_F(ProbeOfAFailingProgram, TeachesNothing) {
  const std::vector<StudyPlanEntry> plan{entry_of(trial_of(32)), entry_of(trial_of(32, 1, Loss::ent))};
  TrialCosts costs;
  std::string told;
  const std::vector<std::string> problems =
      learn_by_probes(plan, std::vector{planned, planned}, settings_, costs,
                      [&](std::size_t number, std::size_t count) { told += concat(number, "/", count, " "); });
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(says(problems[1], "no such model"));
  EXPECT_EQ(told, "1/2 2/2 ");
  EXPECT_FALSE(costs.expected(trial_of(32)));
}

}  // namespace
}  // namespace gausscse
