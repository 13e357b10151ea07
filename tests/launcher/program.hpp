#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gausscse::testing_support {

/// What a run of the program left: exit code, standard output and standard error.
struct ProgramRun {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

/// Runs `gausscse` with these arguments (no shell sees them), on `ranks` ranks under mpiexec if that is over 0. No file
/// can grow beyond `largest_file` bytes, as on a disk that is full, if that is over 0.
ProgramRun run_program(const std::vector<std::string>& arguments, int ranks = 0, std::uint64_t largest_file = 0);

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
