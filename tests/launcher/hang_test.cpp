#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/jobs_at_once.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

std::vector<std::string> with_flags(std::vector<std::string> arguments, const std::vector<std::string>& flags) {
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return arguments;
}

/// mpiexec itself ends a job of which a process was killed; test time_out_test has what happens where it does not. No
/// process is left, and nothing of the memory that the ranks share, which is put into a folder of the test's.
TEST(Hang, MpiexecEndsAJobOfWhichARankWasKilled) {
  const int killed[][3] = {{2, 0, 6}, {2, 1, 1}, {3, 1, 6}, {3, 2, 9}, {4, 0, 2}, {4, 3, 12}};
  testing_support::run_jobs_at_once(std::size(killed), 3, [&](std::size_t i) {
    const auto& [ranks, rank, all_reduce] = killed[i];
    SCOPED_TRACE(concat("rank ", rank, " of ", ranks, ", all-reduce ", all_reduce));
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const fs::path shared = folder / "shared";
    fs::create_directory(shared);
    testing_support::RunSettings settings = with_kill_of_rank(ranks, rank, all_reduce);
    settings.mpiexec_options.insert(settings.mpiexec_options.end(),
                                    {"--mca", "btl_vader_backing_directory", shared.string()});
    const ProgramRun run = run_program(train_arguments(project), settings);
    EXPECT_NE(run.exit_code, 0) << run.errors;
    EXPECT_EQ(run.signals_sent, 1u);
    EXPECT_NE(run.errors.find("signal 9"), std::string::npos) << run.errors;
    EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
    EXPECT_EQ(testing_support::processes_left_with(project.trial()), std::vector<int>{});
    EXPECT_TRUE(fs::is_empty(shared)) << *fs::directory_iterator(shared);
  });
}

TEST(Hang, RanksWithoutRowsWorkWithAWarning) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run =
      run_program(with_flags(train_arguments(project, "", {"training.batch_size=2"}), {"--check-collectives"}), 3);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("3 ranks share batches of 2 examples"), std::string::npos) << run.errors;
}

/// The program of the last rank is a copy that says it is of another commit.
TEST(Hang, UnequalProgramsAreRefused) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string version = run_program({"--version"}).output;
  const std::size_t bracket = version.find('(');
  ASSERT_NE(bracket, std::string::npos) << version;
  const std::string commit = version.substr(bracket + 1, version.find(')') - bracket - 1);
  ASSERT_FALSE(commit.empty()) << version;
  std::string program = read_whole_file(GAUSSCSE_PROGRAM, std::size_t{1} << 30);
  const std::size_t at = program.find(commit + '\0');
  ASSERT_NE(at, std::string::npos);
  program[at] = commit[0] == 'x' ? 'y' : 'x';
  const fs::path other = folder / "gausscse";
  testing_support::write_bytes(other, program);
  fs::permissions(other, fs::perms::owner_all);
  const ProgramRun run =
      run_program(train_arguments(project),
                  {.ranks = 2, .last_rank_arguments = train_arguments(project), .last_rank_program = other});
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("the program is not the same on all ranks"), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
}

TEST(Hang, ATimeOutOfZeroIsRefused) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_program(with_flags(train_arguments(project), {"--timeout", "0"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("--timeout"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace gausscse
