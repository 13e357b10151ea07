#pragma once

#include "results/run_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Exit code, standard output and standard error of a run of the program.
struct ProgramRun {
  int exit_code = -1;
  std::string output;
  std::string errors;
  std::size_t signals_sent = 0;  ///< number of those that the settings ask for
};

/// A signal that a process of the program gets before its k-th call of a kind; tests/support/signal_at_call.cpp has the
/// kinds.
struct SignalAtCall {
  int signal;
  std::string kind;
  long k;
};

/// Settings of a run of the program besides its arguments.
struct RunSettings {
  int ranks = 0;  ///< under mpiexec if over 0
  /// Bytes beyond which no file can grow, as on a disk that is full; 0: no limit.
  std::uint64_t largest_file = 0;
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< name and value
  std::vector<SignalAtCall> signals = {};  ///< signals to send; those sent are counted as disturbances
  int signalled_rank = -1;                 ///< the only rank that gets them; -1: all
  /// Arguments of the last of several ranks in place of the others'; empty: the same.
  std::vector<std::string> last_rank_arguments = {};
  std::filesystem::path last_rank_program = {};  ///< in place of the program, with its arguments above
  std::filesystem::path program = {};            ///< in place of the program, on all ranks
  std::vector<std::string> mpiexec_options = {"--bind-to", "none"};
  std::vector<std::string> before = {};  ///< a command that starts all the rest, such as taskset with its options
  /// File that standard output goes to, such as /dev/full, instead of ProgramRun::output; empty: the latter.
  std::filesystem::path standard_output = {};
};

/// Runs `gausscse` with these arguments; no shell sees them.
ProgramRun run_program(const std::vector<std::string>& arguments, const RunSettings& settings);
inline ProgramRun run_program(const std::vector<std::string>& arguments, int ranks = 0) {
  return run_program(arguments, RunSettings{.ranks = ranks});
}

/// For EXPECT_TRUE: whether the run ended with this code and printed each of these texts on standard error.
testing::AssertionResult ended(const ProgramRun& run, int exit_code, const std::vector<std::string>& texts = {});

/// Runs `gausscse` with these arguments and expects that it ends with this code and prints each of these texts on
/// standard error.
ProgramRun run_expecting(int exit_code, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& texts, const RunSettings& settings,
                         const char* file = __builtin_FILE(), int line = __builtin_LINE());
inline ProgramRun run_expecting(int exit_code, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& texts = {}, int ranks = 0,
                                const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return run_expecting(exit_code, arguments, texts, RunSettings{.ranks = ranks}, file, line);
}

/// Returns the arguments with more of them at the end.
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more);

/// Returns the leftover processes of a job: those that were started with this path among their arguments and do not end
/// within half a minute.
std::vector<int> processes_left_with(const std::filesystem::path& argument);

/// A folder with a tiny BERT (weights and tokenizer), NLI corpora and a set of STS in its few words, and a trial file
/// that trains on them in a second. Its task `dev` is measured at the steps 0, 3 and 6 and selects the best state by
/// its AUPRC. `tiny` is measured at the end, at dev's threshold.
class TinyProject {
 public:
  explicit TinyProject(const std::filesystem::path& folder);

  std::filesystem::path trial() const { return folder_ / "trial.yaml"; }
  std::filesystem::path model() const { return folder_ / "model"; }
  std::filesystem::path train() const { return folder_ / "train.jsonl"; }
  std::filesystem::path dev() const { return folder_ / "dev.jsonl"; }
  std::filesystem::path test() const { return folder_ / "test.jsonl"; }
  /// 30 pairs with their own scores, as the STS benchmark has them.
  std::filesystem::path sts() const { return folder_ / "sts.csv"; }
  std::filesystem::path output() const { return folder_ / "out"; }
  /// Returns the folder of a training whose `output` is this name.
  std::filesystem::path output(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

/// Fixture with a project in a folder of its own.
class TinyProjectTest : public testing::Test {
 protected:
  /// Writes a file into the folder and returns its path.
  std::string file(const std::string& name, const std::string& content) const;
  /// Returns the path of a file in the folder.
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  TinyProject project_{folder_.path()};
};

/// The overrides with which no state is selected: the last one is kept.
inline const std::vector<std::string> without_select = {"select.task=\"\"", "select.figure=\"\""};

/// Puts a pair without a gold label after the 36 of a test set.
void append_unlabelled_pair(const std::filesystem::path& corpus);

/// Returns the command line that trains the project's trial on one thread, into `output` (empty: as the trial says),
/// with `overrides` of its keys.
std::vector<std::string> train_arguments(const TinyProject& project, const std::string& output = "",
                                         const std::vector<std::string>& overrides = {});

/// Returns the result of such a training, which must succeed.
RunResult train_to_result(const TinyProject& project, const std::string& output, int ranks,
                          const std::vector<std::string>& overrides = {});

}  // namespace gausscse
