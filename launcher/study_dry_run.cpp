#include "launcher/study_dry_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/error.hpp"
#include "experiments/grid/probe.hpp"
#include "experiments/grid/study_estimate.hpp"
#include "experiments/grid/study_folder.hpp"
#include "experiments/grid/trial_launch.hpp"
#include "experiments/grid/trial_selection.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_results.hpp"
#include "launcher/dry_run.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

std::vector<TrialStatus> statuses_of(const fs::path& results, const std::vector<StudyPlanEntry>& plan,
                                     const StudyRunOptions& options) {
  const bool begun = fs::exists(results / study_layout::plan);
  std::vector<TrialStatus> statuses = statuses_in(begun ? read_study(results) : StudyResults(), plan);
  if (options.retry_failed)
    std::replace(statuses.begin(), statuses.end(), TrialStatus::failed, TrialStatus::interrupted);
  return statuses;
}

/// Leaves what is not selected out of both.
void select(const TrialSelection& selection, std::vector<StudyPlanEntry>& plan, std::vector<TrialStatus>& statuses) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!selection.has(plan[i].planned)) continue;
    if (kept != i) plan[kept] = std::move(plan[i]);
    statuses[kept++] = statuses[i];
  }
  plan.resize(kept);
  statuses.resize(kept);
}

}  // namespace

std::string dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note) {
  const Manifest manifest = read_manifest(options.study.manifest);
  const fs::path results = fs::absolute(options.study.results).lexically_normal();
  check_study_folder(results, manifest.name, manifest.text);
  std::vector<StudyPlanEntry> plan = plan_study(manifest, earlier_trials_in(results));
  const TrialSelection selection(options.study.only, options.study.stage);
  selection.check(plan);
  std::vector<TrialStatus> statuses = statuses_of(results, plan, options.study);

  TrialCosts costs;
  StudyState state;
  look_at_study(results, state);
  for (const auto& [identity, problem] : state.damaged) note(concat("damaged, to be run again: ", problem));
  for (const StudyPlanEntry& entry : plan)
    if (const auto done = state.done.find(entry.planned.identity); entry.trial && done != state.done.end())
      costs.learn(*entry.trial, done->second);
  select(selection, plan, statuses);
  const Machine machine = this_machine();
  const std::string lacking = lacking_gpus(manifest.resources, machine);
  if (!lacking.empty())
    note(concat(lacking,
                ": nothing is probed here, and times are for one trial at once; give --dry-run where the "
                "trials are to run to have them measured"));
  const std::vector<TrialSlot> slots =
      lacking.empty() ? divide_machine(manifest.resources, machine) : std::vector<TrialSlot>(1);
  if (options.probe && lacking.empty()) {
    const ProbeSettings settings{.resources = manifest.resources,
                                 .slots = slots,
                                 .program = program_that_trains(options.study),
                                 .version = options.version,
                                 .keep_models = manifest.keep_models,
                                 .cache_folder = user_cache_folder("probes")};
    const auto tell = [&](std::size_t number, std::size_t count) {
      note(concat("probe ", number, " of ", count, ": a few steps, to learn what trials take"));
    };
    for (const std::string& problem : learn_by_probes(plan, statuses, settings, costs, tell)) note(problem);
  }
  return dry_run_text(plan, statuses, costs, manifest.resources, slots.size(), options.all);
}

}  // namespace gausscse
