#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns a text: the number of trials of each stage in each state, the running ones with their progress, the failed
/// ones with their errors, the damaged ones with their folders.
std::string status_text(const StudyResults& study);

/// Returns "gausscse-status/1": the same and the last lines of failed trials' logs, as JSON.
std::string status_json(const StudyResults& study);

/// Returns the place of a trial in its study and its status, as JSON: `title`, `stage`, `coordinates`, `seed`,
/// `identity`, `status`, and `waits_for` if it waits.
nlohmann::ordered_json trial_json(const PlannedTrial& planned, TrialStatus status);

}  // namespace gausscse
