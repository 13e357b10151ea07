#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/launcher/disturbed_runs.hpp"
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
using testing_support::train_arguments;
using testing_support::with_kill_of_rank;
using testing_support::with_signal;

/// Rank 1 of three gets a signal before its sixth all-reduce, that of the totals of step 2. Expects the watchdogs of
/// the other two to end the job, and both to tell where they are. That they do so in time is ctest's to say.
ProgramRun expect_the_end(int signal, const std::vector<std::string>& mpiexec_options) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  std::vector<std::string> arguments = train_arguments(project);
  arguments.insert(arguments.end(), {"--timeout", "10"});
  RunSettings settings = with_signal(with_kill_of_rank(3, 1, 6), signal);
  settings.mpiexec_options = mpiexec_options;
  ProgramRun run = run_program(arguments, settings);

  const std::string call = " in all_reduce_sum of 4 elements (collective ";
  bool told = false;
  for (const int rank : {0, 2}) {
    const bool tells_first =
        run.errors.find(concat("error on rank ", rank, ": no progress for 10 s", call)) != std::string::npos;
    const bool tells_then = run.errors.find(concat("gausscse: rank ", rank, " waits", call)) != std::string::npos;
    EXPECT_TRUE(tells_first || tells_then) << rank << " in:\n" << run.errors;
    told = told || tells_first;
  }
  EXPECT_TRUE(told) << run.errors;
  for (const char* text : {", step 2)", "missing: rank 1 (no sign of life", "the job ends"})
    EXPECT_NE(run.errors.find(text), std::string::npos) << text << " in:\n" << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
  EXPECT_EQ(testing_support::processes_left_with(project.trial()), std::vector<int>{});
  return run;
}

TEST(TimeOut, AStoppedRankEndsAll) {
  EXPECT_NE(expect_the_end(SIGSTOP, {"--bind-to", "none"}).exit_code, 0);
}

/// Of an mpiexec that lets the others run on; its exit code is then 0 whatever happens.
TEST(TimeOut, AKilledRankEndsAll) {
  expect_the_end(SIGKILL, {"--bind-to", "none", "--enable-recovery"});
}

}  // namespace
}  // namespace gausscse
