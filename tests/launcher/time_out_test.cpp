#include <csignal>

#include "base/process.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/jobs_at_once.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A rank of several that is lost before an all-reduce; even ones are those of a step's totals.
struct LostRank {
  int ranks, rank, all_reduce;
};

/// Expects the watchdogs of the others to end the job, and each of them to print where it is. The time limit is
/// ctest's.
ProgramRun expect_the_end(int signal, const LostRank& lost, const std::vector<std::string>& mpiexec_options) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::vector<std::string> arguments = with(train_arguments(project), {"--timeout", "5"});
  RunSettings settings = with_signal(with_kill_of_rank(lost.ranks, lost.rank, lost.all_reduce), signal);
  settings.mpiexec_options = mpiexec_options;
  ProgramRun run = run_program(arguments, settings);

  // Five counts, a micro-batch of each rank, and the loss.
  const std::string call = concat(" in all_reduce_sum of ", 5 + lost.ranks + 1, " elements (collective ");
  int reports = 0;
  for (int rank = 0; rank < lost.ranks; ++rank) {
    if (rank == lost.rank) continue;
    const bool reports_first =
        run.errors.find(concat("error on rank ", rank, ": no progress for 5 s", call)) != std::string::npos;
    const bool reports_then = run.errors.find(concat("gausscse: rank ", rank, " waits", call)) != std::string::npos;
    EXPECT_TRUE(reports_first || reports_then) << rank << " in:\n" << run.errors;
    if (reports_first) ++reports;
  }
  EXPECT_GE(reports, 1) << run.errors;
  for (const std::string& text :
       {concat(", step ", lost.all_reduce / 2 - 1, ")"), concat("missing: rank ", lost.rank, " (no sign of life"),
        std::string("the job ends")})
    EXPECT_NE(run.errors.find(text), std::string::npos) << text << " in:\n" << run.errors;
  EXPECT_EQ(run.signals_sent, 1u);
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
  EXPECT_EQ(processes_left_with(project.trial()), std::vector<int>{});
  return run;
}

TEST(TimeOut, AStoppedRankEndsAll) {
  const LostRank stopped[] = {{2, 0, 6}, {2, 1, 12}, {3, 1, 2}, {3, 2, 8}, {4, 0, 4}, {4, 3, 12}};
  run_jobs_at_once(std::size(stopped), 5, [&](std::size_t i) {
    const LostRank& lost = stopped[i];
    SCOPED_TRACE(concat("rank ", lost.rank, " of ", lost.ranks, ", all-reduce ", lost.all_reduce));
    EXPECT_NE(expect_the_end(SIGSTOP, lost, {"--bind-to", "none"}).exit_code, 0);
  });
}

/// A rank that is stopped where ranks wait for each other inside of MPI, before a call of a kind.
struct StoppedPhase {
  const char* kind;
  int k, ranks, rank;
  bool trained;      ///< the result is there by then
  const char* text;  ///< printed by the others, or by the stopped rank's guard where the others have gone
  bool by_its_guard = false;
};

TEST(TimeOut, AStoppedRankEndsAllWhileMpiStartsOrEnds) {
  const char *start = "MPI's start waits for another rank, one that does not print this",
             *end = "MPI's end waits for another rank, one that does not print this",
             *inside = "this rank is stopped inside MPI's end; all outputs of this command are written";
  const StoppedPhase stopped[] = {{"mpi_start", 1, 3, 0, false, start},      {"mpi_start", 1, 3, 2, false, start},
                                  {"mpi_dup", 1, 3, 1, false, start},        {"mpi_dup", 3, 2, 0, false, start},
                                  {"mpi_end", 1, 3, 0, true, end},           {"mpi_end", 1, 3, 2, true, end},
                                  {"pmix_end", 2, 3, 1, true, inside, true}, {"mpi_ended", 1, 2, 1, true, inside, true},
                                  {"pmix_end", 2, 1, 0, true, inside, true}};
  run_jobs_at_once(std::size(stopped), 4, [&](std::size_t i) {
    const StoppedPhase& lost = stopped[i];
    SCOPED_TRACE(concat("rank ", lost.rank, " of ", lost.ranks, ", ", lost.kind, " ", lost.k));
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const std::vector<std::string> arguments = with(train_arguments(project), {"--timeout", "4"});
    RunSettings settings{.ranks = lost.ranks, .signals = {{SIGSTOP, lost.kind, lost.k}}, .signalled_rank = lost.rank};
    const ProgramRun run = run_program(arguments, settings);
    EXPECT_EQ(run.exit_code, lost.by_its_guard ? 128 + SIGKILL : 1) << run.errors;
    EXPECT_EQ(run.signals_sent, 1u);
    for (int rank = 0; rank < lost.ranks; ++rank) {
      const std::string text =
          concat("gausscse: error on rank ", rank, " (", host_name(), "): no progress for 4 s: ", lost.text);
      EXPECT_EQ(run.errors.find(text) != std::string::npos, (rank == lost.rank) == lost.by_its_guard)
          << text << " in:\n"
          << run.errors;
    }
    EXPECT_TRUE(says(run.errors, "the job ends (--timeout sets the limit)"));
    EXPECT_EQ(fs::exists(project.output() / "result.h5"), lost.trained);
    EXPECT_EQ(processes_left_with(project.trial()), std::vector<int>{});
  });
}

/// Rank 0 is about to print the metrics; the others have nothing left to do.
TEST(TimeOut, ARankStoppedBehindItsLastCollectiveIsNamed) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_expecting(1, with(train_arguments(project), {"--timeout", "4"}), {},
                                       {.ranks = 3, .signals = {{SIGSTOP, "print", 1}}, .signalled_rank = 0});
  EXPECT_EQ(run.signals_sent, 1u);
  EXPECT_TRUE(says(run.errors, "no progress for 4 s in end (collective "));
  EXPECT_TRUE(says(run.errors, "missing: rank 0 (no sign of life"));
  EXPECT_TRUE(fs::exists(project.output() / "result.h5"));
  EXPECT_EQ(processes_left_with(project.trial()), std::vector<int>{});
}

/// The mpiexec here lets the other ranks run on; its exit code is then always 0.
TEST(TimeOut, AKilledRankEndsAll) {
  expect_the_end(SIGKILL, {3, 1, 6}, {"--bind-to", "none", "--enable-recovery"});
}

}  // namespace
}  // namespace gausscse
