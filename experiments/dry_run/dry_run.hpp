#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/worker/run_study.hpp"
#include "experiments/worker/trial_costs.hpp"

namespace gausscse {

/// Options of a dry run, besides those of a worker.
struct DryRunOptions {
  StudyRunOptions study;
  bool all = false;   ///< list done trials, too
  bool probe = true;  ///< run short trainings of kinds of trials of which none is done
};

/// Returns what a study would do and take, as text for people. Writes nothing into its results folder, which need not
/// be there. Notes, such as that probes begin, go to `note`. Throws InputError as `run_study` does.
std::string dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note);

/// Returns the statuses of a plan's trials in a results folder. A trial that is not there is planned, or waits.
std::vector<TrialStatus> statuses_in(const StudyResults& results, const std::vector<StudyPlanEntry>& plan);

/// Returns the text of a dry run: trials by stage, each with its expected cost, and sums for `slots` (one at least)
/// trials at once. `statuses` are those of the plan's trials. Done ones are counted, and listed only if `all`. A trial
/// of two stages is counted in both; its cost is added once.
std::string dry_run_text(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                         const TrialCosts& costs, std::size_t slots, bool all);

}  // namespace gausscse
