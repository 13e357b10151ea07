#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/dry_run/dry_run.hpp"
#include "experiments/status/study_status.hpp"
#include "experiments/study/json_fields.hpp"
#include "model/objective/objective_settings.hpp"
#include "results/text_table.hpp"

// Display of a dry run, for people and for programs.

namespace gausscse {

namespace {

constexpr std::size_t shown_identity_digits = 8;

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
std::string work_text(std::span<const ExpectedTrial> trials, std::size_t slots) {
  const ExpectedWork work = expected_work(trials, slots);
  std::string text = concat(trials_text(work.trials), ", ", work.done, " done");
  if (work.failed > 0) text += concat(", ", work.failed, " failed");
  text += concat(", ", work.to_run, " to run");
  if (work.to_run == 0) return text + "\n";
  if (work.unknown == work.to_run) return text + ": time and disk are unknown until a trial of the kind is done\n";
  text += concat(": ", readable_duration(work.seconds), ", ", trials_text(slots), " at a time; disk ",
                 size_text(work.disk_bytes));
  if (work.unknown > 0) text += concat("; without ", trials_text(work.unknown), " of unknown cost");
  return text + "\n";
}

/// Returns the number of an anchor's negatives, for each objective that has any.
std::vector<std::int64_t> negatives_of(const Trial& trial) {
  return negatives_of_anchor(trial.objective, trial.training.batch_size);
}

std::vector<std::string> dry_run_row(const ExpectedTrial& one) {
  const std::string& identity = one.planned.identity;
  const std::string about = one.settings ? "" : "~";
  std::string negatives = one.settings ? "none" : "-";
  if (one.settings && !negatives_of(*one.settings).empty())
    negatives = joined(negatives_of(*one.settings), "+", [](std::int64_t count) { return std::to_string(count); });
  const bool knows_gpu = one.cost && one.cost->gpu_memory_share > 0;
  return {title_of(one.planned),
          std::string(name_of(one.status)),
          identity.empty() ? "-" : identity.substr(0, shown_identity_digits),
          std::move(negatives),
          one.cost ? about + readable_duration(one.cost->seconds) : "?",
          one.cost ? about + size_text(one.cost->disk_bytes) : "?",
          knows_gpu ? concat(about, fixed_text(100 * one.cost->gpu_memory_share, 0), " %") : "-"};
}

std::string stage_text(std::span<const ExpectedTrial> trials, std::size_t slots, bool all) {
  std::vector<std::vector<std::string>> rows{
      {"trial", "status", "identity", "negatives", "time", "disk", "GPU memory"}};
  std::set<std::string> waits;
  for (const ExpectedTrial& one : trials) {
    if (all || one.status != TrialStatus::done) rows.push_back(dry_run_row(one));
    if (one.planned.identity.empty()) waits.insert(one.planned.waits_for);
  }
  std::string text = concat("stage ", trials.front().planned.stage, ": ", work_text(trials, slots));
  // A study on CPUs has no column of GPUs.
  if (std::all_of(rows.begin() + 1, rows.end(), [](const auto& row) { return row.back() == "-"; }))
    for (std::vector<std::string>& row : rows) row.pop_back();
  if (rows.size() > 1) text += text_table(rows);
  for (const std::string& wait : waits)
    if (!wait.empty()) text += concat("waits for ", wait, "\n");
  return text + "\n";
}

using Json = nlohmann::ordered_json;

/// Adds `values` as time and disk, or null where they are unknown.
template <typename Values>
void add_cost(Json& json, const Values& values, bool is_known) {
  json["seconds"] = is_known ? Json(values.seconds) : Json();
  json["disk_bytes"] = is_known ? Json(values.disk_bytes) : Json();
}

Json work_json(std::span<const ExpectedTrial> trials, std::size_t slots) {
  const ExpectedWork work = expected_work(trials, slots);
  Json json{{"trials", work.trials},
            {"done", work.done},
            {"failed", work.failed},
            {"to_run", work.to_run},
            {"of_unknown_cost", work.unknown}};
  add_cost(json, work, work.to_run == 0 || work.unknown < work.to_run);
  return json;
}

Json dry_run_trial_json(const ExpectedTrial& one) {
  Json json = trial_json(one.planned, one.status);
  json["negatives"] = one.settings ? Json(negatives_of(*one.settings)) : Json();
  add_cost(json, one.cost.value_or(TrialCost()), one.cost.has_value());
  if (one.cost && one.cost->gpu_memory_share > 0) json["gpu_memory_share"] = one.cost->gpu_memory_share;
  if (!one.settings) json["guessed"] = true;
  return json;
}

}  // namespace

std::string dry_run_text(const DryRun& run, bool all) {
  std::string text;
  for (const std::span<const ExpectedTrial> stage : run.stages()) text += stage_text(stage, run.slots, all);
  return concat(text, "study: ", work_text(run.trials, run.slots));
}

std::string dry_run_json(const DryRun& run) {
  Json stages = Json::array();
  for (const std::span<const ExpectedTrial> of_stage : run.stages()) {
    Json stage{{"stage", of_stage.front().planned.stage}, {"work", work_json(of_stage, run.slots)}};
    Json& trials = stage["trials"] = Json::array();
    for (const ExpectedTrial& one : of_stage) trials.push_back(dry_run_trial_json(one));
    stages.push_back(std::move(stage));
  }
  return json_text({{"format", "gausscse-dry-run/1"},
                    {"trials_at_once", run.slots},
                    {"work", work_json(run.trials, run.slots)},
                    {"stages", std::move(stages)}});
}

}  // namespace gausscse
