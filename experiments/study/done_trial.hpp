#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/study/study_records.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Files of a done trial, without its columns and curves.
struct DoneTrial {
  RunRecord run;
  StateResult kept;  ///< metrics of the state that was kept, from report.json
  /// Files in which nothing shows other values as damage: with neither a hash in run.json nor their own seal, as
  /// earlier versions left them.
  std::vector<std::filesystem::path> unprotected;
  /// Changed files next to the result, each with the fault: the result counts all the same.
  std::vector<std::string> doubts;
};

/// Reads the folder of a done trial and checks its files: run.json by its own hash, report.json and result.h5 by theirs
/// in run.json. No metric depends on trial.yaml and attempts.json: those are doubted only. Throws InputError that names
/// the changed file, and for a folder that is a symbolic link.
DoneTrial read_done_trial(const std::filesystem::path& folder, const World& world = real_world());

/// Returns a warning that files have no hash of their values, with the first one's name; `count` is that of all.
std::string unchecked_text(const std::filesystem::path& first, std::size_t count);

/// Doubts about the done trials of a study, each trial and file once.
class Doubts {
 public:
  void add(const std::filesystem::path& folder, const DoneTrial& trial);
  /// Returns a line for all run.json without a hash of their values, and one for each file that was changed.
  std::vector<std::string> texts() const;

 private:
  std::set<std::filesystem::path> unchecked_;
  std::set<std::string> changed_;
};

/// Returns whether a training had steps and kept the state before the first of them.
bool kept_untrained_state(const RunRecord& run, const StateResult& kept);

/// Throws InputError unless a result file has the hash in `record`, the text of run.json next to it. The file is read
/// whole.
void check_result_file(const std::filesystem::path& result, const RunRecord& record);

/// Checks a result file that a user named, if it is that of a study's trial (run.json and trial.yaml are in its
/// folder); nothing else is known of other files. Returns a warning where neither a hash nor a seal protects it, else
/// an empty text.
std::string check_result_next_to_record(const std::filesystem::path& result);

/// Returns the warning of files that neither a hash nor a seal protects: the first by its name, and how many more there
/// are. Empty where there is none.
std::string warning_of_unprotected(const std::vector<std::filesystem::path>& files);

}  // namespace gausscse
