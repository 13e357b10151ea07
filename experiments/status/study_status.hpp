#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/study/study_results.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

/// Progress of a running trial when it last reported it.
struct ToldProgress {
  TrainingProgress progress;
  double seconds_ago = 0;  ///< by the clocks of this host and of the file's
};

/// A study with the progress of its running trials.
struct StudyStatus {
  StudyResults study;
  std::vector<std::optional<ToldProgress>> progress;  ///< progress of each trial; nothing where it is not known
};

/// Reads a results folder as `read_study` does, and the progress files of running trials.
StudyStatus read_status(const std::filesystem::path& results);

/// Returns a text for people: how many trials of each stage are in which state, the running ones with their progress,
/// the failed ones with what went wrong, the damaged ones with their folders.
std::string status_text(const StudyStatus& status);

/// Returns "gausscse-status/1": the same and the last lines of failed trials' logs, as JSON.
std::string status_json(const StudyStatus& status);

}  // namespace gausscse
