#include <H5public.h>
#include <torch/version.h>

#include "base/process.hpp"
#include "dist/mpi/session.hpp"
#include "launcher/machine/cores.hpp"
#include "launcher/version.hpp"
#include "model/kernels/kernels.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// Returns the value that doctor prints of a rank between `name` and the next comma that a space follows.
std::string of_rank(const ProgramRun& run, int rank, const std::string& name) {
  const std::size_t line = run.output.find(concat("rank ", rank, ": host "));
  const std::size_t begin = run.output.find(concat(", ", name, " "), line);
  if (line == std::string::npos || begin == std::string::npos) return "nothing";
  const std::size_t first = begin + name.size() + 3;
  return run.output.substr(first, run.output.find(", ", first) - first);
}

/// Doctor under mpiexec, which binds as it does unasked.
ProgramRun bound_by_default(int ranks, RunSettings settings = {}) {
  settings.ranks = ranks;
  settings.mpiexec_options = {};
  return run_program({"doctor", "--size", "1"}, settings);
}

std::string one_core() {
  return std::to_string(allowed_cores().front());
}

TEST(Threads, AreDividedAmongTheRanksOfANode) {
  const std::vector<int> cores = allowed_cores();
  for (const int ranks : {1, 2, 3}) {
    const ProgramRun run = run_program({"doctor", "--size", "1"}, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(of_rank(run, rank, "cores"), ranges_of(cores)) << run.output << run.errors;
      EXPECT_EQ(of_rank(run, rank, "threads"), std::to_string(std::max<int>(1, static_cast<int>(cores.size()) / ranks)))
          << run.output;
    }
  }
}

TEST(Threads, AreNotDividedWhereTheUserNamesTheirNumber) {
  const ProgramRun run = run_program({"doctor", "--size", "1", "--threads", "3"}, 2);
  EXPECT_EQ(of_rank(run, 0, "threads"), "3") << run.output << run.errors;
  EXPECT_EQ(of_rank(run, 1, "threads"), "3") << run.output;
}

TEST(Threads, ADefaultBindingIsUndone) {
  const std::vector<int> cores = allowed_cores();
  const ProgramRun run = bound_by_default(1);
  EXPECT_EQ(of_rank(run, 0, "cores"), ranges_of(cores)) << run.output << run.errors;
  EXPECT_EQ(of_rank(run, 0, "threads"), std::to_string(cores.size())) << run.output;
}

TEST(Threads, NoMoreCoresAreTakenThanMpiexecWasGiven) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "one core: nothing to confine";
  const ProgramRun run = bound_by_default(2, {.before = {"taskset", "-c", one_core()}});
  for (const int rank : {0, 1}) {
    EXPECT_EQ(of_rank(run, rank, "cores"), one_core()) << run.output << run.errors;
    EXPECT_EQ(of_rank(run, rank, "threads"), "1") << run.output;
  }
}

TEST(Threads, ABindingThatWasAskedForStays) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "one core: nothing to bind to";
  const ProgramRun run = run_program({"doctor"}, {.ranks = 1, .mpiexec_options = {"--bind-to", "hwthread"}});
  EXPECT_EQ(numbers_in(of_rank(run, 0, "cores")).size(), 1u) << run.output << run.errors;
  EXPECT_EQ(of_rank(run, 0, "threads"), "1") << run.output;
}

TEST(Threads, TheCoresThatAScriptChoosesStay) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "one core: nothing to choose";
  const std::string last = std::to_string(allowed_cores().back());
  const TemporaryFolder folder;
  const fs::path script = folder / "on_the_last_core";
  write_bytes(script, concat("#!/bin/sh\ntaskset -c ", last, " ", GAUSSCSE_PROGRAM, " \"$@\"\n"));
  fs::permissions(script, fs::perms::owner_all);
  const ProgramRun run = bound_by_default(1, {.program = script});
  EXPECT_EQ(of_rank(run, 0, "cores"), last) << run.output << run.errors;
}

using OnceForAllRanks = TinyProjectTest;

TEST_F(OnceForAllRanks, TheConfigurationIsPrinted) {
  std::vector<std::string> arguments = train_arguments(project_);
  arguments.push_back("--print-config");
  const ProgramRun alone = run_program(arguments), together = run_program(arguments, 3);
  EXPECT_EQ(together.exit_code, 0) << together.errors;
  EXPECT_TRUE(says(alone.output, "format: gausscse-trial/"));
  EXPECT_EQ(together.output, alone.output);
}

TEST_F(OnceForAllRanks, TokensArePrinted) {
  write_bytes(folder_ / "in.txt", "w1 w2\nw3\n");
  const std::vector<std::string> arguments{"tokenize", project_.model(), folder_ / "in.txt"};
  EXPECT_EQ(run_expecting(0, arguments, {}, 2).output, "2 6 7 3\n2 8 3\n");
}

TEST_F(OnceForAllRanks, ACorpusIsGenerated) {
  const std::vector<std::string> sizes{"--train", "9", "--dev", "3", "--test", "3"};
  std::vector<std::string> alone{"generate", folder_ / "alone"}, together{"generate", folder_ / "together"};
  alone.insert(alone.end(), sizes.begin(), sizes.end());
  together.insert(together.end(), sizes.begin(), sizes.end());
  run_expecting(0, alone);
  const ProgramRun run = run_expecting(0, together, {}, 3);
  EXPECT_EQ(run.errors.find("error"), std::string::npos) << run.errors;
  for (const char* file : {"train.jsonl", "dev.jsonl", "test.jsonl"})
    EXPECT_EQ(read_whole_file(folder_ / "together" / file, 1 << 20),
              read_whole_file(folder_ / "alone" / file, 1 << 20));
}

/// Returns srun's variables for a task that no MPI joins with the others.
RunSettings task_of_step(const std::string& tasks, const std::string& number, int ranks = 0) {
  return {.ranks = ranks, .environment = {{"SLURM_STEP_NUM_TASKS", tasks}, {"SLURM_PROCID", number}}};
}

TEST_F(OnceForAllRanks, TasksOfSlurmAreKnownWithoutMpi) {
  write_bytes(folder_ / "in.txt", "w1 w2\n");
  const std::vector<std::string> arguments{"tokenize", project_.model(), folder_ / "in.txt"};
  EXPECT_EQ(run_program(arguments, task_of_step("2", "0")).output, "2 6 7 3\n");
  const ProgramRun second = run_program(arguments, task_of_step("2", "1"));
  EXPECT_EQ(second.output, "");
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_EQ(run_program(arguments, task_of_step("1", "1")).output, "2 6 7 3\n") << "a step of one task";
  // The number is that of mpirun's daemon.
  EXPECT_EQ(run_program(arguments, task_of_step("3", "1", 2)).output, "2 6 7 3\n");
}

TEST_F(OnceForAllRanks, TasksOfSlurmThatNoMpiJoinsAreRefused) {
  for (const char* number : {"0", "1"}) {
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    run_expecting(2, train_arguments(project),
                  {"SLURM_STEP_NUM_TASKS=2 says that srun started 2 processes",
                   "start it with Open MPI's mpirun, or with srun --mpi=pmix"},
                  task_of_step("2", number));
    EXPECT_FALSE(fs::exists(project.output()));
  }
  run_expecting(0, {"doctor"}, {}, task_of_step("1", "0"));
  EXPECT_EQ(run_program({"doctor"}, task_of_step("2", "0", 1)).exit_code, 0) << "mpirun with one rank";
}

/// Returns one of several processes of a launcher whose ranks this program's MPI does not join; such a launcher gives
/// each a rank.
RunSettings process_of(const std::vector<std::pair<std::string, std::string>>& environment, int ranks = 0) {
  RunSettings settings;
  settings.ranks = ranks;
  settings.environment = environment;
  return settings;
}

using UnjoinedProcesses = TinyProjectTest;

TEST_F(UnjoinedProcesses, AreRefusedByEachLauncherThatStartsThem) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> environments = {
      {{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}},
      {{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "1"}},
      {{"MV2_COMM_WORLD_SIZE", "2"}},
      {{"JSM_NAMESPACE_SIZE", "2"}},
      {{"FLUX_JOB_SIZE", "2"}},
      {{"OMPI_COMM_WORLD_SIZE", "2"}},
      {{"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "none"}},
      {{"WORLD_SIZE", "9"}, {"PMI_SIZE", "2"}}};
  for (const auto& environment : environments) {
    run_expecting(2, train_arguments(project_),
                  {" started 2 processes, but Open MPI v",
                   " joins 1 of them: each would work by itself and write to the same output"},
                  process_of(environment));
    EXPECT_FALSE(fs::exists(project_.output())) << environment.front().first;
    const ProgramRun doctor = run_expecting(2, {"doctor", "--threads", "1"}, {}, process_of(environment));
    EXPECT_TRUE(says(doctor.output, "\nproblem: environment: "));
    EXPECT_TRUE(says(doctor.output, "=2 says that "));
  }
}

/// People set the variables of torchrun by themselves as well.
TEST_F(UnjoinedProcesses, AreWarnedOfWhereTheVariableMayMeanNothing) {
  run_expecting(0, train_arguments(project_),
                {" warning: environment: WORLD_SIZE=2 says that torchrun started 2 processes",
                 "unset WORLD_SIZE, unless you mean each to work by itself"},
                process_of({{"WORLD_SIZE", "2"}}));
}

/// One process of any launcher, ranks that mpirun joined inside of another step, and a larger world of ours.
TEST_F(UnjoinedProcesses, AreNotSeenWhereThereAreNone) {
  for (const auto& settings :
       {process_of({{"PMI_SIZE", "1"}, {"WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"FLUX_JOB_SIZE", "1"}}),
        process_of({{"PMI_SIZE", "4"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"WORLD_SIZE", "4"}}, 2),
        process_of({{"PMI_SIZE", "1"}}, 2)}) {
    const ProgramRun run = run_program({"doctor", "--size", "1", "--threads", "1"}, settings);
    EXPECT_EQ(run.output.find("problem: environment"), std::string::npos) << run.output;
    EXPECT_EQ(run.errors.find("environment: "), std::string::npos) << run.errors;
    EXPECT_NE(run.output.find("rank 0: host "), std::string::npos) << run.output << run.errors;
  }
}

TEST_F(OnceForAllRanks, AnErrorIsReported) {
  const ProgramRun run = run_expecting(2, {"tokenize", folder_.path(), folder_ / "none.txt"}, {}, 3);
  const std::size_t first = run.errors.find("gausscse: error");
  ASSERT_NE(first, std::string::npos) << run.errors;
  EXPECT_EQ(run.errors.find("gausscse: error", first + 1), std::string::npos) << run.errors;
}

#ifndef GAUSSCSE_ADDRESS_SANITIZER
/// The stacks of 8,192 threads take more than 16 GiB; the program itself takes less.
TEST(Threads, ThatDoNotStartAreAnErrorThatNamesTheLimit) {
  run_expecting(1, {"doctor", "--threads", "4096"},
                {"gausscse: error: the system starts no more threads (Resource temporarily unavailable); "
                 "the limit on address space (ulimit -v) is 16384 MB",
                 ": raise the limit that is reached, or give fewer --threads"},
                {.before = {"prlimit", "--as=17179869184"}});
}
#endif

/// Trains on two ranks, the last one with the kernels of a lesser processor.
ProgramRun train_with_other_instructions(const TinyProject& project, const std::string& reproducibility) {
  const std::vector<std::string> arguments =
      train_arguments(project, "", {concat("reproducibility=", reproducibility), "training.precision=fp32"});
  return run_program(arguments,
                     {.ranks = 2,
                      .last_rank_arguments = with({"GAUSSCSE_INSTRUCTION_SET=generic", GAUSSCSE_PROGRAM}, arguments),
                      .last_rank_program = "/usr/bin/env"});
}

const std::string own_instructions = kernels::kernel_table<float>().instruction_set;

using Instructions = TinyProjectTest;

TEST_F(Instructions, ThatDifferAreAWarningAndGoIntoTheResult) {
  if (own_instructions == "generic") GTEST_SKIP() << "this processor has no other kernels than the generic ones";
  const ProgramRun run = train_with_other_instructions(project_, "fast");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const std::string warning = "ranks compute with different instructions";
  const std::size_t first = run.errors.find(warning);
  ASSERT_NE(first, std::string::npos) << run.errors;
  EXPECT_EQ(run.errors.find(warning, first + 1), std::string::npos) << run.errors;
  const Provenance provenance = read_result(project_.output() / "result.h5").provenance;
  EXPECT_EQ(provenance.instruction_sets, (std::vector<std::string>{own_instructions, "generic"}));
  EXPECT_EQ(provenance.bfloat16_instructions, std::vector<std::string>(2, name_of(bfloat16_instructions())));
}

TEST_F(Instructions, ThatDifferAreRefusedWhereBitsArePromised) {
  if (own_instructions == "generic") GTEST_SKIP() << "this processor has no other kernels than the generic ones";
  EXPECT_TRUE(ended(train_with_other_instructions(project_, "rank_invariant"), 2,
                    {concat("has kernels for ", own_instructions, ", rank 1 on "),
                     "has kernels for generic; reproducibility: rank_invariant"}));
  EXPECT_FALSE(fs::exists(project_.output() / "result.h5"));
}

TEST(Provenance, IsThatOfTheProgramAndItsRanks) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const Provenance provenance = train_to_result(project, "out", 2).provenance;
  EXPECT_EQ(provenance.version, version());
  EXPECT_EQ(provenance.commit, commit());
  EXPECT_STRNE(version(), commit());
  const std::vector<std::pair<std::string, std::string>> libraries = {
      {"libtorch", TORCH_VERSION},
      {"hdf5", concat(H5_VERS_MAJOR, ".", H5_VERS_MINOR, ".", H5_VERS_RELEASE)},
      {"mpi", MpiSession::library_version()}};
  EXPECT_TRUE(says(libraries.back().second, "MPI"));
  // A program for GPUs has NCCL behind these.
  ASSERT_GE(provenance.libraries.size(), libraries.size());
  for (std::size_t i = 0; i < libraries.size(); ++i) EXPECT_EQ(provenance.libraries[i], libraries[i]);
  EXPECT_EQ(provenance.hosts, std::vector<std::string>(2, host_name()));
  EXPECT_EQ(provenance.devices, std::vector<std::string>(2, "cpu"));
  EXPECT_EQ(provenance.ranks, 2);
  EXPECT_EQ(provenance.threads, 1);
}

}  // namespace
}  // namespace gausscse
