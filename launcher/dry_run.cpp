#include "launcher/dry_run.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/readable_duration.hpp"
#include "experiments/results/text_table.hpp"

namespace gausscse {

namespace {

constexpr std::size_t shown_identity_digits = 8;

/// "90 MiB", "1.5 GiB"; a dash for nothing.
std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  if (mebibytes < 1) return "<1 MiB";
  if (mebibytes < 1023.5) return fixed_text(mebibytes, 0) + " MiB";
  return fixed_text(mebibytes / 1024, 1) + " GiB";
}

std::string negatives_text(const StudyPlanEntry& entry) {
  if (!entry.trial) return "-";
  std::string text;
  for (const std::int64_t count : negatives_of_anchor(*entry.trial)) text += concat(text.empty() ? "" : "+", count);
  return text.empty() ? "none" : text;
}

std::vector<std::string> row_of(const StudyPlanEntry& entry, const EstimatedTrial& estimate) {
  const std::string& identity = entry.planned.identity;
  std::vector<std::string> row{title_of(entry.planned), std::string(name_of(estimate.status)),
                               identity.empty() ? "-" : identity.substr(0, shown_identity_digits),
                               negatives_text(entry)};
  if (!estimate.cost) {
    row.insert(row.end(), {"?", "?", "?"});
    return row;
  }
  const std::string about = estimate.guessed ? "~" : "";
  row.push_back(about + readable_duration(estimate.cost->seconds));
  row.push_back(about + size_text(estimate.cost->memory_bytes));
  row.push_back(about + size_text(estimate.cost->disk_bytes));
  return row;
}

std::string trials_text(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "trial");
}

std::string trial_counts_text(const WorkEstimate& work) {
  std::string text = concat(trials_text(work.trials), ", ", work.done, " done");
  if (work.failed > 0) text += concat(", ", work.failed, " failed");
  return concat(text, ", ", work.to_run, " to run");
}

std::string sums_text(const WorkEstimate& work, std::size_t slots) {
  if (work.to_run == 0) return "nothing to run";
  if (work.unknown == work.to_run) return "nothing is known of what they take";
  std::string text =
      concat(readable_duration(work.seconds), ", ", slots, slots == 1 ? " trial at a time" : " side by side");
  if (slots > 1) text += concat(" (", readable_duration(work.one_by_one_seconds), " one by one)");
  text += concat(", memory ", size_text(work.memory_bytes), ", disk ", size_text(work.disk_bytes));
  if (work.unknown > 0) text += concat("; without ", trials_text(work.unknown), " of which nothing is known");
  return text;
}

/// What the trials of a stage wait for, each thing once.
std::vector<std::string> waits_of(const std::vector<StudyPlanEntry>& plan, const std::string& stage) {
  std::vector<std::string> waits;
  for (const StudyPlanEntry& entry : plan) {
    const std::string& wait = entry.planned.waits_for;
    if (entry.planned.stage != stage || !entry.planned.identity.empty() || wait.empty()) continue;
    if (std::find(waits.begin(), waits.end(), wait) == waits.end()) waits.push_back(wait);
  }
  return waits;
}

std::string stage_text(const std::vector<StudyPlanEntry>& plan, const StudyEstimate& estimate, const WorkEstimate& work,
                       std::size_t slots, bool all) {
  std::vector<std::vector<std::string>> rows{{"trial", "status", "identity", "negatives", "time", "memory", "disk"}};
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (plan[i].planned.stage == work.stage && (all || estimate.trials[i].status != TrialStatus::done))
      rows.push_back(row_of(plan[i], estimate.trials[i]));
  std::string text = concat("stage ", work.stage, ": ", trial_counts_text(work), "\n");
  if (rows.size() > 1) text += text_table(rows);
  for (const std::string& wait : waits_of(plan, work.stage)) text += concat("waits for ", wait, "\n");
  return concat(text, "together: ", sums_text(work, slots), "\n\n");
}

}  // namespace

namespace {

std::vector<std::int64_t> negatives_in(const ObjectiveSettings& objective, std::int64_t batch) {
  switch (objective.kind) {
    case ObjectiveKind::gaussian_contrastive: {
      std::int64_t sets = 1;
      if (objective.loss == Loss::ent_con || objective.loss == Loss::ent_rev) sets = 2;
      if (objective.loss == Loss::ent_con_rev) sets = 3;
      if (objective.with_simcse) return {sets * batch - 1, 2 * batch - 1};
      return {sets * batch - 1};
    }
    case ObjectiveKind::cosine_contrastive: {
      const std::int64_t of_premise = (objective.hard_negatives ? 2 : 1) * batch - 1;
      if (objective.directions == Directions::both) return {of_premise, batch - 1};
      return {of_premise};
    }
    case ObjectiveKind::supervised_contrastive:
      return {std::min(batch - 1, objective.positives.value_or(batch) - 1 + objective.negatives.value_or(batch))};
    case ObjectiveKind::pair_classification:
    case ObjectiveKind::augmented_classification:
      return {};
    case ObjectiveKind::sum:
      break;
  }
  throw std::logic_error("no objective of this number, or a sum within a sum");
}

}  // namespace

std::vector<std::int64_t> negatives_of_anchor(const Trial& trial) {
  std::vector<std::int64_t> all;
  for (const ObjectiveSettings* part : computed_parts(trial.objective))
    for (const std::int64_t negatives : negatives_in(*part, trial.training.batch_size)) all.push_back(negatives);
  return all;
}

std::string dry_run_text(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                         const TrialCosts& costs, const Resources& resources, std::size_t slots, bool all) {
  const StudyEstimate estimate = estimate_study(plan, statuses, costs, resources, slots);
  std::string text;
  for (const WorkEstimate& work : estimate.stages) text += stage_text(plan, estimate, work, slots, all);
  return concat(text, "study: ", trial_counts_text(estimate.whole), "\n",
                "together: ", sums_text(estimate.whole, slots), "\n");
}

}  // namespace gausscse
