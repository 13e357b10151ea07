#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/dry_run/expected_work.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/worker/run_study.hpp"

namespace gausscse {

/// Options of a dry run, besides those of a worker.
struct DryRunOptions {
  StudyRunOptions study;
  bool probe = true;  ///< run short trainings of kinds of trials of which none is done
};

/// Returns what a study would do and take. Writes nothing into its results folder, which need not
/// be there. Notes, such as that probes begin, go to `note`. Throws InputError as `run_study` does.
DryRun dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note);

/// Returns the statuses of a plan's trials in a results folder. A trial that is not there is planned, or waits.
std::vector<TrialStatus> statuses_in(const StudyResults& results, const std::vector<StudyPlanEntry>& plan);

}  // namespace gausscse
