#include "experiments/dry_run/dry_run.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/user_paths.hpp"
#include "experiments/dry_run/probe.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/identity_check.hpp"
#include "experiments/worker/study_folder.hpp"
#include "experiments/worker/trial_outcome.hpp"
#include "experiments/worker/trial_selection.hpp"
#include "model/objective/negatives.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_identity_digits = 8;
/// Checkpoints of a trial, at most, by the size of its model: two that are kept and one that is being written, each
/// with the model, AdamW's two moments and the best model.
constexpr double checkpoints_of_model = 3 * 4;

/// A trial of the plan with its expected cost.
struct EstimatedTrial {
  const StudyPlanEntry* entry = nullptr;
  TrialStatus status = TrialStatus::planned;
  std::optional<TrialCost> cost = {};  ///< nothing where it is unknown

  bool is_to_run() const { return status != TrialStatus::done && status != TrialStatus::failed; }
};
using Trials = std::span<const EstimatedTrial>;
using Coordinates = std::vector<std::pair<std::string, std::string>>;

/// Returns the mean cost of those trials, of which it is known, that have the most labels in common with one that
/// waits.
std::optional<TrialCost> guessed_cost(const Coordinates& coordinates, Trials trials) {
  std::ptrdiff_t most = 0;
  double count = 0;
  TrialCost sum;
  for (const EstimatedTrial& other : trials) {
    if (!other.entry->trial || !other.cost) continue;
    const Coordinates& labels = other.entry->planned.coordinates;
    const auto common = std::count_if(coordinates.begin(), coordinates.end(), [&](const auto& label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    });
    if (common < most) continue;
    if (common > std::exchange(most, common)) count = 0, sum = {};
    count += 1;
    sum.seconds += other.cost->seconds;
    sum.disk_bytes += other.cost->disk_bytes;
    sum.model_bytes += other.cost->model_bytes;
  }
  if (count == 0) return std::nullopt;
  return TrialCost{sum.seconds / count, sum.disk_bytes / count, sum.model_bytes / count};
}

/// Returns the time of trials, the longest first (see TrialQueue), each in the slot that is free first.
double time_in_slots(std::vector<double> seconds, std::size_t slots) {
  std::sort(seconds.rbegin(), seconds.rend());
  std::vector<double> free_at(slots, 0.0);
  for (const double one : seconds) *std::min_element(free_at.begin(), free_at.end()) += one;
  return *std::max_element(free_at.begin(), free_at.end());
}

/// Returns "90 MiB", "1.5 GiB"; a dash for nothing.
std::string size_text(double bytes) {
  const double mebibytes = bytes / (1 << 20);
  if (bytes <= 0) return "-";
  if (mebibytes < 1) return "<1 MiB";
  if (mebibytes < 1023.5) return fixed_text(mebibytes, 0) + " MiB";
  return fixed_text(mebibytes / 1024, 1) + " GiB";
}

std::string trials_text(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "trial");
}

/// Returns counts and sums of a stage or of the study.
std::string work_text(Trials trials, std::size_t slots) {
  std::size_t done = 0, failed = 0, to_run = 0, unknown = 0;
  double disk = 0, time = 0;
  bool models_are_known = true;
  // Under no name those that need not wait, else those of a stage that begins when all others are done.
  std::map<std::string, std::vector<double>> seconds;
  std::vector<double> models;
  std::set<std::string> seen;
  for (const EstimatedTrial& one : trials) {
    done += one.status == TrialStatus::done;
    failed += one.status == TrialStatus::failed;
    if (!one.is_to_run()) continue;
    ++to_run;
    unknown += !one.cost;
    const PlannedTrial& planned = one.entry->planned;
    if (!one.cost || (!planned.identity.empty() && !seen.insert(planned.identity).second)) continue;
    seconds[one.entry->trial ? "" : planned.stage].push_back(one.cost->seconds);
    disk += one.cost->disk_bytes;
    models.push_back(one.cost->model_bytes);
    models_are_known = models_are_known && one.cost->model_bytes > 0;
  }
  std::string text = concat(trials_text(trials.size()), ", ", done, " done");
  if (failed > 0) text += concat(", ", failed, " failed");
  text += concat(", ", to_run, " to run\ntogether: ");
  if (to_run == 0) return text + "nothing to run\n";
  if (unknown == to_run) return text + "time and disk are unknown\n";
  for (const auto& [stage, of_stage] : seconds) time += time_in_slots(of_stage, slots);
  std::sort(models.rbegin(), models.rend());
  double peak = disk;
  for (std::size_t i = 0; i < std::min(slots, models.size()); ++i) peak += checkpoints_of_model * models[i];
  text += concat(readable_duration(time), ", ", trials_text(slots), " at a time; disk ", size_text(disk));
  text += models_are_known ? concat(", with checkpoints of running trials ", size_text(peak), " at most")
                           : std::string(", and checkpoints of running trials");
  if (unknown > 0) text += concat("; without ", trials_text(unknown), " of unknown cost");
  return text + "\n";
}

std::vector<std::string> row_of(const EstimatedTrial& one) {
  const std::string& identity = one.entry->planned.identity;
  const std::string about = one.entry->trial ? "" : "~";
  std::string negatives;
  if (const std::optional<Trial>& trial = one.entry->trial)
    for (const std::int64_t count : negatives_of_anchor(trial->objective, trial->training.batch_size))
      negatives += concat(negatives.empty() ? "" : "+", count);
  if (negatives.empty()) negatives = one.entry->trial ? "none" : "-";
  return {title_of(one.entry->planned),
          std::string(name_of(one.status)),
          identity.empty() ? "-" : identity.substr(0, shown_identity_digits),
          std::move(negatives),
          one.cost ? about + readable_duration(one.cost->seconds) : "?",
          one.cost ? about + size_text(one.cost->disk_bytes) : "?"};
}

std::string stage_text(Trials trials, std::size_t slots, bool all) {
  std::vector<std::vector<std::string>> rows{{"trial", "status", "identity", "negatives", "time", "disk"}};
  std::set<std::string> waits;
  for (const EstimatedTrial& one : trials) {
    if (all || one.status != TrialStatus::done) rows.push_back(row_of(one));
    if (one.entry->planned.identity.empty()) waits.insert(one.entry->planned.waits_for);
  }
  std::string text = concat("stage ", trials.front().entry->planned.stage, ": ", work_text(trials, slots));
  if (rows.size() > 1) text += text_table(rows);
  for (const std::string& wait : waits)
    if (!wait.empty()) text += concat("waits for ", wait, "\n");
  return text + "\n";
}

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

std::string dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note) {
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
      if (plan[i].trial && EstimatedTrial{&plan[i], statuses[i]}.is_to_run()) to_run.push_back(&*plan[i].trial);
    const auto begins = [&](std::size_t count) {
      note(
          concat(counted(static_cast<std::int64_t>(count), "probe"), " of a few steps, to measure the cost of trials"));
    };
    for (const std::string& problem : learn_by_probes(to_run, settings, costs, begins)) note(problem);
  }
  return dry_run_text(plan, statuses, costs, slots.size(), options.all);
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

std::string dry_run_text(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                         const TrialCosts& costs, std::size_t slots, bool all) {
  std::vector<EstimatedTrial> trials;
  for (std::size_t i = 0; i < plan.size(); ++i)
    trials.push_back({&plan[i], statuses[i], plan[i].trial ? costs.expected(*plan[i].trial) : std::nullopt});
  std::map<Coordinates, std::optional<TrialCost>> guesses;
  for (EstimatedTrial& one : trials) {
    if (one.entry->trial) continue;
    const auto [guess, is_new] = guesses.try_emplace(one.entry->planned.coordinates);
    if (is_new) guess->second = guessed_cost(guess->first, trials);
    one.cost = guess->second;
  }
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < trials.size(); begin = end) {
    while (end < trials.size() && plan[end].planned.stage == plan[begin].planned.stage) ++end;
    text += stage_text(Trials(trials).subspan(begin, end - begin), slots, all);
  }
  return concat(text, "study: ", work_text(trials, slots));
}

}  // namespace gausscse
