#include "experiments/dry_run/dry_run.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/user_paths.hpp"
#include "experiments/dry_run/probe.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/identity_check.hpp"
#include "experiments/worker/study_folder.hpp"
#include "experiments/worker/trial_selection.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Lets `costs` learn from the study's done trials.
void learn_done(const fs::path& results, const std::vector<StudyPlanEntry>& plan, TrialCosts& costs,
                const std::function<void(const std::string&)>& note) {
  StudyState state;
  look_at_study(results, state);
  for (const std::string& doubt : doubts_about(results, state)) note(doubt);
  for (const auto& [identity, problem] : state.damaged) note(concat("damaged, will be run again: ", problem));
  for (const StudyPlanEntry& entry : plan) {
    const auto done = state.done.find(entry.planned.identity);
    if (!entry.trial || done == state.done.end()) continue;
    const fs::path model = results / study_layout::trials / entry.planned.identity / study_layout::model;
    costs.learn(*entry.trial, done->second, static_cast<double>(bytes_of_folder(model)));
  }
}

}  // namespace

DryRun dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note) {
  const Manifest manifest = read_manifest(options.study.manifest);
  const fs::path results = fs::absolute(options.study.results).lexically_normal();
  check_study_folder(results, manifest.name, manifest.text);
  std::vector<StudyPlanEntry> plan = plan_study(manifest, earlier_trials_in(results));
  for (const std::string& warning : results_of_other_contents(results, plan)) note(warning);
  const TrialSelection selection(options.study.only, options.study.stage);
  selection.check(plan);
  TrialCosts costs(manifest.resources);
  learn_done(results, plan, costs, note);
  std::erase_if(plan, [&](const StudyPlanEntry& entry) { return !selection.has(entry.planned); });
  const bool begun = fs::exists(fs::symlink_status(results / study_layout::plan));
  std::vector<TrialStatus> statuses = statuses_in(begun ? read_study(results) : StudyResults(), plan);
  if (options.study.retry_failed)
    std::replace(statuses.begin(), statuses.end(), TrialStatus::failed, TrialStatus::interrupted);

  const Machine machine = this_machine();
  const std::string lacking = lacking_gpus(manifest.resources, machine);
  if (!lacking.empty())
    note(concat(lacking,
                ": no trial is probed here, and times are for one trial at a time; to measure them, run --dry-run on "
                "the machine of the trials"));
  const std::vector<TrialSlot> slots =
      lacking.empty() ? divide_machine(manifest.resources, machine) : std::vector<TrialSlot>(1);
  if (options.probe && lacking.empty()) {
    const ProbeSettings settings{.resources = manifest.resources,
                                 .slots = slots,
                                 .program = program_that_trains(options.study),
                                 .keep_models = manifest.keep_models,
                                 .folder = user_cache_folder("probes")};
    std::vector<const Trial*> to_run;
    for (std::size_t i = 0; i < plan.size(); ++i)
      if (plan[i].trial && ExpectedTrial{.planned = plan[i].planned, .status = statuses[i]}.is_to_run())
        to_run.push_back(&*plan[i].trial);
    const auto begins = [&](std::size_t count) {
      note(
          concat(counted(static_cast<std::int64_t>(count), "probe"), " of a few steps, to measure the cost of trials"));
    };
    for (const std::string& problem : learn_by_probes(to_run, settings, costs, begins)) note(problem);
  }
  return expected_trials(plan, statuses, costs, slots.size());
}

std::vector<TrialStatus> statuses_in(const StudyResults& results, const std::vector<StudyPlanEntry>& plan) {
  std::map<std::string, TrialStatus> known;
  for (const StudyTrial& trial : results.trials) known.emplace(trial.planned.identity, trial.status);
  std::vector<TrialStatus> statuses;
  for (const StudyPlanEntry& entry : plan) {
    const auto found = known.find(entry.planned.identity);
    statuses.push_back(entry.planned.identity.empty() ? TrialStatus::waiting
                       : found == known.end()         ? TrialStatus::planned
                                                      : found->second);
  }
  return statuses;
}

}  // namespace gausscse
