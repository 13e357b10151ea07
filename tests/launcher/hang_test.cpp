#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/jobs_at_once.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Hang = TinyProjectTest;

/// mpiexec itself ends a job of which a process was killed; test time_out_test has the other case. No process is left,
/// and nothing of the memory that the ranks share, which is put into a folder of the test's.
TEST_F(Hang, MpiexecEndsAJobOfWhichARankWasKilled) {
  const int killed[][3] = {{2, 0, 6}, {2, 1, 1}, {3, 1, 6}, {3, 2, 9}, {4, 0, 2}, {4, 3, 12}};
  run_jobs_at_once(std::size(killed), 3, [&](std::size_t i) {
    const auto& [ranks, rank, all_reduce] = killed[i];
    SCOPED_TRACE(concat("rank ", rank, " of ", ranks, ", all-reduce ", all_reduce));
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const fs::path shared = folder / "shared";
    fs::create_directory(shared);
    RunSettings settings = with_kill_of_rank(ranks, rank, all_reduce);
    settings.mpiexec_options.insert(settings.mpiexec_options.end(),
                                    {"--mca", "btl_vader_backing_directory", shared.string()});
    const ProgramRun run = run_program(train_arguments(project), settings);
    EXPECT_NE(run.exit_code, 0) << run.errors;
    EXPECT_EQ(run.signals_sent, 1u);
    EXPECT_TRUE(says(run.errors, "signal 9"));
    EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
    EXPECT_EQ(processes_left_with(project.trial()), std::vector<int>{});
    EXPECT_TRUE(fs::is_empty(shared)) << *fs::directory_iterator(shared);
  });
}

TEST_F(Hang, RanksWithoutRowsWorkWithAWarning) {
  run_expecting(0, with(train_arguments(project_, "", {"training.batch_size=2"}), {"--check-collectives"}),
                {"3 ranks share batches of 2 examples"}, 3);
}

/// The program of the last rank is a copy that says it is of another commit.
TEST_F(Hang, UnequalProgramsAreRefused) {
  const std::string version = run_program({"--version"}).output;
  const std::size_t bracket = version.find('(');
  ASSERT_NE(bracket, std::string::npos) << version;
  const std::string commit = version.substr(bracket + 1, version.find(')') - bracket - 1);
  ASSERT_FALSE(commit.empty()) << version;
  std::string program = read_whole_file(GAUSSCSE_PROGRAM, std::size_t{1} << 30);
  const std::size_t at = program.find(commit + '\0');
  ASSERT_NE(at, std::string::npos);
  program[at] = commit[0] == 'x' ? 'y' : 'x';
  const fs::path other = folder_ / "gausscse";
  write_bytes(other, program);
  fs::permissions(other, fs::perms::owner_all);
  write_bytes(folder_ / "in.txt", "w0 w1\nw2\n");
  const std::vector<std::string> encode{"encode", project_.model().string(), (folder_ / "in.txt").string(),
                                        (folder_ / "out.npy").string(), "--pooling=mean"};
  run_expecting(2, encode, {"the program is not the same on all ranks"},
                {.ranks = 2, .last_rank_arguments = encode, .last_rank_program = other});
  EXPECT_FALSE(fs::exists(folder_ / "out.npy"));
#ifdef GAUSSCSE_HAS_TWO_PROGRAMS
  run_expecting(1, train_arguments(project_), {"libgausscse_program.so is of another build"}, {.program = other});
  EXPECT_FALSE(fs::exists(project_.output()));
#endif
}

}  // namespace
}  // namespace gausscse
