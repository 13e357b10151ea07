#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gausscse::testing_support {

/// What a run of the program left: exit code, standard output and standard error.
struct ProgramRun {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

/// How the program is run, beside its arguments.
struct RunSettings {
  int ranks = 0;  ///< under mpiexec if over 0
  /// Bytes beyond which no file can grow, as on a disk that is full; 0: no limit.
  std::uint64_t largest_file = 0;
  std::vector<std::pair<std::string, std::string>> environment;  ///< name and value
};

/// Runs `gausscse` with these arguments; no shell sees them.
ProgramRun run_program(const std::vector<std::string>& arguments, const RunSettings& settings);
inline ProgramRun run_program(const std::vector<std::string>& arguments, int ranks = 0) {
  return run_program(arguments, RunSettings{.ranks = ranks, .largest_file = 0, .environment = {}});
}

/// A folder with a tiny BERT (weights and tokenizer), NLI corpora in its few words, and a trial file that trains on
/// them in a second.
class TinyProject {
 public:
  explicit TinyProject(const std::filesystem::path& folder);

  std::filesystem::path trial() const { return folder_ / "trial.yaml"; }
  std::filesystem::path model() const { return folder_ / "model"; }
  std::filesystem::path train() const { return folder_ / "train.jsonl"; }
  std::filesystem::path dev() const { return folder_ / "dev.jsonl"; }
  std::filesystem::path output() const { return folder_ / "out"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace gausscse::testing_support
