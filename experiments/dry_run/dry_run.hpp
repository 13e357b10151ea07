#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/worker/run_study.hpp"
#include "experiments/worker/trial_costs.hpp"

namespace gausscse {

/// A trial of the plan with its expected cost.
struct ExpectedTrial {
  PlannedTrial planned;
  std::optional<Trial> settings;  ///< nothing while they wait for a choice: the cost is guessed from similar trials
  TrialStatus status = TrialStatus::planned;
  std::optional<TrialCost> cost = {};  ///< nothing where it is unknown

  bool is_to_run() const { return status != TrialStatus::done && status != TrialStatus::failed; }
};

/// Work that is left: trials in the order of the plan, those of a stage one after another.
struct DryRun {
  std::vector<ExpectedTrial> trials;
  std::size_t slots = 1;  ///< trials that run at once

  /// Returns the trials of each stage, in order.
  std::vector<std::span<const ExpectedTrial>> stages() const;
  /// Returns the largest share of a GPU's memory that a trial to run is expected to take; 0 where none is known.
  double gpu_memory_share() const;
};

/// Remaining work of a stage or of the study. A trial shared by two stages is counted in both; its cost is added once.
struct ExpectedWork {
  std::size_t trials = 0, done = 0, failed = 0, to_run = 0;
  std::size_t unknown = 0;  ///< trials to run whose cost is unknown; they are in none of the sums below
  double seconds = 0;       ///< wall time in the slots
  double disk_bytes = 0;    ///< bytes that stay
};

/// Returns the work that a study would do and its expected cost. Writes nothing into the results folder, which need not
/// be there. Passes notes, such as names of damaged trials, to `note`. Throws InputError as `run_study` does.
DryRun dry_run_of_study(const StudyRunOptions& options, const std::function<void(const std::string&)>& note);

/// Returns the trials with their expected costs; `slots` is one at least.
DryRun expected_run(std::vector<ExpectedTrial> trials, const TrialCosts& costs, std::size_t slots);

/// Returns the remaining work of trials that run `slots` at a time.
ExpectedWork expected_work(std::span<const ExpectedTrial> trials, std::size_t slots);

/// Returns the text of a dry run: trials by stage, each with its expected cost, and sums. Done trials are counted, and
/// listed only if `all`.
std::string dry_run_text(const DryRun& run, bool all);

/// Returns the report of a dry run for programs ("gausscse-dry-run/1", see docs/study_files.md), with all trials. Ends
/// with a line break.
std::string dry_run_json(const DryRun& run);

}  // namespace gausscse
