#include "experiments/status/study_status.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

std::optional<ToldProgress> progress_of(const StudyTrial& trial) {
  if (trial.status != TrialStatus::running || trial.folder.empty()) return std::nullopt;
  const fs::path file = trial.folder / study_layout::progress;
  const auto progress = read_progress(file);
  std::error_code gone;
  const fs::file_time_type written = fs::last_write_time(file, gone);
  if (!progress || gone) return std::nullopt;
  const std::chrono::duration<double> age = fs::file_time_type::clock::now() - written;
  return ToldProgress{*progress, std::max(0.0, age.count())};
}

}  // namespace

StudyStatus read_status(const fs::path& results) {
  StudyStatus status{read_study(results), {}};
  for (const StudyTrial& trial : status.study.trials) status.progress.push_back(progress_of(trial));
  return status;
}

}  // namespace gausscse
