#include "experiments/dry_run/dry_run.hpp"

#include "base/error.hpp"
#include "experiments/worker/identity_check.hpp"
#include "experiments/worker/study_folder.hpp"
#include "experiments/worker/trial_selection.hpp"

namespace gausscse {

DryRun dry_run_of_study(const StudyRunOptions& options, const std::function<void(const std::string&)>& note) {
  const Manifest manifest = read_manifest(options.manifest);
  const std::filesystem::path results = std::filesystem::absolute(options.results).lexically_normal();
  check_study_folder(results, manifest.name, manifest.text);
  const std::vector<StudyPlanEntry> plan = plan_study(manifest, earlier_trials_in(results));
  for (const std::string& warning : results_of_other_contents(results, plan)) note(warning);
  const TrialSelection selection(options.only, options.stage);
  selection.check(plan);
  std::vector<PlannedTrial> planned;
  for (const StudyPlanEntry& entry : plan) planned.push_back(entry.planned);
  StudyResults study = read_trials(results, planned);
  for (const std::string& doubt : doubts_about(results, std::move(study.doubts))) note(doubt);

  TrialCosts costs(manifest.resources);
  std::vector<ExpectedTrial> trials;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const StudyTrial& trial = study.trials[i];
    if (trial.status == TrialStatus::damaged) note(concat("damaged, will be run again: ", trial.problem));
    if (plan[i].trial && trial.run) costs.learn(*plan[i].trial, *trial.run);
    if (!selection.has(trial.planned)) continue;
    const bool is_retried = options.retry_failed && trial.status == TrialStatus::failed;
    trials.push_back({.planned = trial.planned,
                      .settings = plan[i].trial,
                      .status = is_retried ? TrialStatus::interrupted : trial.status});
  }

  const Machine machine = this_machine();
  const std::string lacking = lacking_gpus(manifest.resources, machine);
  if (!lacking.empty()) note(concat(lacking, ": times are for one trial at a time"));
  return expected_run(std::move(trials), costs,
                      lacking.empty() ? divide_machine(manifest.resources, machine).size() : 1);
}

}  // namespace gausscse
