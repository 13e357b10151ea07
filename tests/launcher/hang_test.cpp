#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

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

/// Rank 1 of three gets a signal before its sixth all-reduce: that of the totals of step 2.
ProgramRun run_with_signal(const TinyProject& project, int signal) {
  return run_program({"train", project.trial().string(), "--threads", "1", "--timeout", "5"},
                     {.ranks = 3,
                      .largest_file = 0,
                      .environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL},
                                      {"GAUSSCSE_TEST_KILL_AT_ALL_REDUCE", "6"},
                                      {"GAUSSCSE_TEST_KILL_RANK", "1"},
                                      {"GAUSSCSE_TEST_SIGNAL", std::to_string(signal)}}});
}

TEST(Hang, AStoppedRankEndsAllWithinTheTimeOut) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_with_signal(project, SIGSTOP);
  EXPECT_NE(run.exit_code, 0) << run.errors;
  for (const char* text : {"error on rank 0: no progress for 5 s in all_reduce_sum of 4 elements (collective ",
                           ", step 2)", "missing: rank 1 (no sign of life"})
    EXPECT_NE(run.errors.find(text), std::string::npos) << text << " in:\n" << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
}

TEST(Hang, AKilledRankEndsAll) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_with_signal(project, SIGKILL);
  EXPECT_NE(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("signal 9"), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
}

TEST(Hang, WhatAllRanksRunIntoIsToldOnce) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  testing_support::write_bytes(project.dev(), "");
  const ProgramRun run = run_program({"train", project.trial().string(), "--threads", "1"}, 3);
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  const std::size_t first = run.errors.find("gausscse: error on rank");
  ASSERT_NE(first, std::string::npos) << run.errors;
  EXPECT_EQ(run.errors.find("gausscse: error on rank", first + 1), std::string::npos) << run.errors;
}

TEST(Hang, RanksWithoutRowsWorkWithAWarning) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_program(
      {"train", project.trial().string(), "--threads", "1", "--check-collectives", "--set", "training.batch_size=2"},
      3);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("3 ranks share batches of 2 triples"), std::string::npos) << run.errors;
}

TEST(Hang, ATimeOutOfZeroIsRefused) {
  EXPECT_EQ(run_program({"train", "x.yaml", "--timeout", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace gausscse
