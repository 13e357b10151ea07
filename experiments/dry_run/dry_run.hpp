#pragma once

#include <functional>
#include <string>

#include "experiments/dry_run/expected_work.hpp"
#include "experiments/worker/run_study.hpp"

namespace gausscse {

/// Returns the work that a study would do and its expected cost. Writes nothing into the results folder, which need not
/// be there. Passes notes, such as names of damaged trials, to `note`. Throws InputError as `run_study` does.
DryRun dry_run_of_study(const StudyRunOptions& options, const std::function<void(const std::string&)>& note);

}  // namespace gausscse
