#include "experiments/dry_run/dry_run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "experiments/worker/gpu_sharing.hpp"
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
  DryRun run =
      expected_run(std::move(trials), costs, lacking.empty() ? divide_machine(manifest.resources, machine).size() : 1);
  const std::string warning = packing_warning(manifest.resources, run.gpu_memory_share());
  if (!warning.empty()) note(warning);
  return run;
}

namespace {

/// Returns the mean cost of those trials, of which it is known, that have the most labels in common with one that
/// waits.
std::optional<TrialCost> guessed_cost(const LabelsOnAxes& coordinates, std::span<const ExpectedTrial> trials) {
  std::ptrdiff_t most = 0;
  double count = 0;
  TrialCost sum;
  for (const ExpectedTrial& other : trials) {
    if (!other.settings || !other.cost) continue;
    const LabelsOnAxes& labels = other.planned.coordinates;
    const auto common = std::count_if(coordinates.begin(), coordinates.end(), [&](const auto& label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    });
    if (common < most) continue;
    if (common > std::exchange(most, common)) count = 0, sum = {};
    count += 1;
    sum.seconds += other.cost->seconds;
    sum.disk_bytes += other.cost->disk_bytes;
    sum.gpu_memory_share = std::max(sum.gpu_memory_share, other.cost->gpu_memory_share);
  }
  if (count == 0) return std::nullopt;
  return TrialCost{sum.seconds / count, sum.disk_bytes / count, sum.gpu_memory_share};
}

/// Returns the time of trials, the longest first (see TrialQueue), each in the slot that is free first.
double time_in_slots(std::vector<double> seconds, std::size_t slots) {
  std::sort(seconds.rbegin(), seconds.rend());
  std::vector<double> free_at(slots, 0.0);
  for (const double one : seconds) *std::min_element(free_at.begin(), free_at.end()) += one;
  return *std::max_element(free_at.begin(), free_at.end());
}

}  // namespace

std::vector<std::span<const ExpectedTrial>> DryRun::stages() const {
  std::vector<std::span<const ExpectedTrial>> stages;
  for (std::size_t begin = 0, end = 0; begin < trials.size(); begin = end) {
    while (end < trials.size() && trials[end].planned.stage == trials[begin].planned.stage) ++end;
    stages.push_back(std::span(trials).subspan(begin, end - begin));
  }
  return stages;
}

double DryRun::gpu_memory_share() const {
  double share = 0;
  for (const ExpectedTrial& one : trials)
    if (one.is_to_run() && one.cost) share = std::max(share, one.cost->gpu_memory_share);
  return share;
}

DryRun expected_run(std::vector<ExpectedTrial> trials, const TrialCosts& costs, std::size_t slots) {
  for (ExpectedTrial& one : trials)
    if (one.settings) one.cost = costs.expected(*one.settings);
  std::map<LabelsOnAxes, std::optional<TrialCost>> guesses;
  for (ExpectedTrial& one : trials) {
    if (one.settings) continue;
    const auto [guess, is_new] = guesses.try_emplace(one.planned.coordinates);
    if (is_new) guess->second = guessed_cost(guess->first, trials);
    one.cost = guess->second;
  }
  return {std::move(trials), slots};
}

ExpectedWork expected_work(std::span<const ExpectedTrial> trials, std::size_t slots) {
  ExpectedWork work{.trials = trials.size()};
  // Under no name those that need not wait, else those of a stage that begins when all others are done.
  std::map<std::string, std::vector<double>> seconds;
  std::set<std::string> seen;
  for (const ExpectedTrial& one : trials) {
    work.done += one.status == TrialStatus::done;
    work.failed += one.status == TrialStatus::failed;
    if (!one.is_to_run()) continue;
    ++work.to_run;
    work.unknown += !one.cost;
    const std::string& identity = one.planned.identity;
    if (!one.cost || (!identity.empty() && !seen.insert(identity).second)) continue;
    seconds[one.settings ? "" : one.planned.stage].push_back(one.cost->seconds);
    work.disk_bytes += one.cost->disk_bytes;
  }
  for (const auto& [stage, of_stage] : seconds) work.seconds += time_in_slots(of_stage, slots);
  return work;
}

}  // namespace gausscse
