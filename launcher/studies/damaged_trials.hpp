#pragma once

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Names on standard error each trial of a study whose files are not what was written, and warns once where files have
/// no hash that would show it. Returns the exit code of the
/// command that left them out: 1 where there is one, else 0.
int warn_of_damaged_trials(const StudyResults& study);

/// Returns the same of the manifest, too, for a command that does not read it.
int warn_of_damaged_files(const StudyResults& study);

}  // namespace gausscse
