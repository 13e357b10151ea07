#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/launcher/machine/mps_socket.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// `gausscse run`, as a user calls it.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
std::vector<std::string> run_arguments(const fs::path& manifest, const fs::path& results,
                                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"run", manifest.string(), "--results", results.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// No file may grow beyond a number of bytes: under 640 no claim can be made, under 100 kB no model.
TEST(RunCommand, OnAFullDiskEndsWithWordsAndGoesOnWhereThereIsRoom) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(folder / "study.yaml",
              "format: gausscse-manifest/1\n"
              "name: tiny\n"
              "defaults:\n"
              "  model: {backbone: {path: model}}\n"
              "  data: {train: [train.jsonl], cache: cache}\n"
              "  training: {batch_size: 8, max_steps: 2, max_tokens: 16, checkpoint_every: 1}\n"
              "stages: {only: {}}\n");
  for (const std::uint64_t largest_file : {400, 30'000}) {
    SCOPED_TRACE(largest_file);
    const fs::path results = folder / std::to_string(largest_file);
    const ProgramRun full = run_program(run_arguments(folder / "study.yaml", results), {.largest_file = largest_file});
    EXPECT_EQ(full.exit_code, largest_file == 400 ? 2 : 3) << full.errors;
    EXPECT_TRUE(says(full.errors, "File too large"));
    if (largest_file > 400) {
      EXPECT_TRUE(says(full.errors, "failed 3 times in a row, and no trial was done in between"));
      EXPECT_TRUE(sorted_names_in(results / "failed").empty()) << "it is not the trial's failure";
    }
    if (fs::exists(results / "trials")) {
      EXPECT_TRUE(sorted_names_in(results / "trials").empty());
    }
    run_expecting(0, run_arguments(folder / "study.yaml", results));
    for (const StudyTrial& trial : read_study(results).trials) EXPECT_EQ(trial.status, TrialStatus::done);
    for (const char* empty : {"claims", "unfinished", "failed"})
      EXPECT_TRUE(sorted_names_in(results / empty).empty()) << empty;
  }
}

TEST(RunCommand, PassesItsOptionsOn) {
  const TemporaryFolder folder;
  const SmallStudy study(folder.path());
  study.write_manifest({1, 2, seed_of_bad_trial, seed_that_waits});
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--train-program", GAUSSCSE_FAKE_TRAIN});
    return run_program(run_arguments(study.manifest(), study.results(), more));
  };
  EXPECT_EQ(run({"--only", "seed=2", "--stage", "all"}).exit_code, 0);
  EXPECT_EQ(study.seeds(TrialStatus::done), std::vector<std::int64_t>{2});
  EXPECT_EQ(run({"--only", "seed=1", "--only", "seed=2", "--max-trials", "1"}).exit_code, 0);
  EXPECT_EQ(study.seeds(TrialStatus::done), (std::vector<std::int64_t>{1, 2}));
  const std::string bad = concat("seed=", seed_of_bad_trial);
  const ProgramRun failed = run({"--only", bad, "--lease", "30"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(says(failed.errors, "exit code 2: this seed is refused"));
  EXPECT_EQ(run({"--only", bad}).exit_code, 1);
  EXPECT_EQ(study.noted(concat("begins ", seed_of_bad_trial)), 1u);
  EXPECT_EQ(run({"--only", bad, "--retry-failed"}).exit_code, 1);
  EXPECT_EQ(study.noted(concat("begins ", seed_of_bad_trial)), 2u);
  const ProgramRun fast = run({"--retry-failed", "--fail-fast"});
  EXPECT_EQ(fast.exit_code, 1);
  EXPECT_TRUE(says(fast.errors, "a trial failed, and --fail-fast is given"));
  EXPECT_EQ(run({"--stage", "final"}).exit_code, 2);
  EXPECT_EQ(run({"--only", "nothing"}).exit_code, 2);
  EXPECT_EQ(run({"--max-trials", "0"}).exit_code, 2);
  EXPECT_EQ(run({"--lease", "0"}).exit_code, 2);
  EXPECT_EQ(run({"--machine-failures", "0"}).exit_code, 2);
  EXPECT_EQ(run({"--silence", "9"}).exit_code, 2);
  study.write_manifest({seed_that_is_killed});
  EXPECT_EQ(run({"--machine-failures", "2", "--silence", "3600"}).exit_code, 3);
  EXPECT_EQ(study.noted(concat("begins ", seed_that_is_killed)), 2u);
}

TEST(RunCommand, SaysWhetherMpsServesTheTrialsOfAGpu) {
  const TemporaryFolder folder;
  const SmallStudy study(folder.path());
  study.write_manifest({1}, "resources: {gpus: 0.5}\n");
  // The address of a socket is short.
  const fs::path pipes = concat("/tmp/gausscse-mps-run-", ::getpid());
  fs::create_directory(pipes);
  const auto said = [&](const char* results) {
    return run_program(
               run_arguments(study.manifest(), folder / results, {"--train-program", GAUSSCSE_FAKE_TRAIN}),
               {.environment = {{"CUDA_VISIBLE_DEVICES", "GPU-of-a-run"}, {"CUDA_MPS_PIPE_DIRECTORY", pipes.string()}}})
        .errors;
  };
  EXPECT_TRUE(says(said("without"), "without MPS their kernels take turns"));
  {
    const FileDescriptor daemon = listening_at(pipes / "control");
    EXPECT_TRUE(says(said("with"), "MPS serves this node"));
  }
  fs::remove_all(pipes);
}

/// Returns the program's output on a terminal.
std::string shown_on_terminal(std::vector<std::string> words) {
  words.insert(words.begin(), GAUSSCSE_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  EXPECT_GT(child, 0);
  std::string shown;
  std::array<char, 4096> bytes{};
  // The read fails once nobody holds the other end.
  for (ssize_t count = 0; (count = ::read(terminal, bytes.data(), bytes.size())) > 0;)
    shown.append(bytes.data(), static_cast<std::size_t>(count));
  ::close(terminal);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << shown;
  return shown;
}

TEST(RunCommand, ReportsErrorsOnlyWhereItIsToBeQuiet) {
  const TemporaryFolder folder;
  const SmallStudy study(folder.path());
  study.write_manifest({1});
  const auto words = [&](const char* results, const std::vector<std::string>& more) {
    std::vector<std::string> all = run_arguments(study.manifest(), folder / results, more);
    all.insert(all.end(), {"--train-program", GAUSSCSE_FAKE_TRAIN});
    return all;
  };
  const ProgramRun quiet = run_expecting(0, words("quiet", {"--quiet"}));
  EXPECT_EQ(quiet.errors + quiet.output, "");
  EXPECT_TRUE(says(run_program(words("told", {})).errors, "all 16 seed 1 begins"));
  // On a terminal lines are drawn again, next to the log.
  EXPECT_TRUE(says(shown_on_terminal(words("drawn", {})), "\033[K"));
  EXPECT_EQ(shown_on_terminal(words("not drawn", {"--quiet"})), "");
}

}  // namespace
}  // namespace gausscse
