#include "experiments/status/study_status.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/status/study_progress.hpp"
#include "experiments/study/json_fields.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

/// Numbers of trials by status.
class StatusCounts {
 public:
  std::size_t of(TrialStatus status) const { return counts_[static_cast<std::size_t>(status)]; }
  std::size_t all() const { return all_; }
  void add(TrialStatus status) {
    ++counts_[static_cast<std::size_t>(status)];
    ++all_;
  }

 private:
  std::array<std::size_t, names<TrialStatus>.size()> counts_{};
  std::size_t all_ = 0;
};

/// Returns the counts of each stage, in the plan's order, and last those of the study under "all".
std::vector<std::pair<std::string, StatusCounts>> counts_of(const std::vector<StudyTrial>& trials) {
  std::vector<std::pair<std::string, StatusCounts>> stages;
  StatusCounts all;
  for (const StudyTrial& trial : trials) {
    const auto is_its = [&](const auto& stage) { return stage.first == trial.planned.stage; };
    auto stage = std::find_if(stages.begin(), stages.end(), is_its);
    if (stage == stages.end()) stage = stages.insert(stages.end(), {trial.planned.stage, {}});
    stage->second.add(trial.status);
    all.add(trial.status);
  }
  stages.emplace_back("all", all);
  return stages;
}

Json counts_json(const StatusCounts& counts) {
  Json json = Json::object();
  for (const auto& [status, name] : names<TrialStatus>) json[std::string(name)] = counts.of(status);
  return json;
}

Json progress_json(const std::optional<ReportedProgress>& reported) {
  if (!reported) return nullptr;
  const TrainingProgress& progress = reported->progress;
  Json json{{"phase", name_of(progress.phase)},      {"step", progress.step},
            {"total_steps", progress.total_steps},   {"examples_per_second", progress.examples_per_second},
            {"seconds_left", progress.seconds_left}, {"seconds_ago", reported->seconds_ago}};
  if (progress.loss) json["loss"] = *progress.loss;
  if (!progress.checkpoint_problem.empty()) {
    json["checkpoints_lost_since"] = utc_text(progress.checkpoints_lost_since);
    json["checkpoint_problem"] = progress.checkpoint_problem;
  }
  return json;
}

Json failure_json(const FailureRecord& failure) {
  return {{"reason", failure.reason},    {"error", failure.error}, {"attempts", failure.attempts},
          {"seconds", failure.seconds},  {"host", failure.host},   {"ended", failure.ended},
          {"lines", Json(failure.lines)}};
}

Json status_trial_json(const StudyTrial& trial) {
  Json json = trial_json(trial.planned, trial.status);
  if (!trial.folder.empty()) json["folder"] = trial.folder.string();
  if (trial.status == TrialStatus::running) json["progress"] = progress_json(trial.progress);
  if (trial.run) json["seconds"] = trial.run->seconds;
  if (trial.run && !trial.run->ended_early.empty()) json["ended_early"] = trial.run->ended_early;
  if (trial.status == TrialStatus::damaged) json["problem"] = trial.problem;
  if (kept_untrained_state(trial)) json["untrained"] = true;
  if (trial.failure) json["failure"] = failure_json(*trial.failure);
  return json;
}

}  // namespace

Json trial_json(const PlannedTrial& planned, TrialStatus status) {
  Json coordinates = Json::object();
  for (const auto& [axis, label] : planned.coordinates) coordinates[axis] = label;
  Json json{{"title", title_of(planned)}, {"stage", planned.stage},       {"coordinates", std::move(coordinates)},
            {"seed", planned.seed},       {"identity", planned.identity}, {"status", name_of(status)}};
  if (!planned.waits_for.empty()) json["waits_for"] = planned.waits_for;
  return json;
}

std::string status_json(const StudyResults& study) {
  Json stages = Json::object(), trials = Json::array();
  auto counts = counts_of(study.trials);
  const StatusCounts all = counts.back().second;
  counts.pop_back();
  for (const auto& [stage, of_stage] : counts) stages[stage] = counts_json(of_stage);
  for (const StudyTrial& trial : study.trials) trials.push_back(status_trial_json(trial));
  return json_text({{"format", "gausscse-status/1"},
                    {"study", study.study},
                    {"folder", study.folder.string()},
                    {"counts", counts_json(all)},
                    {"stages", std::move(stages)},
                    {"trials", std::move(trials)}});
}

namespace {

/// Seconds after which a training that reports nothing evaluates, or does not run any more.
constexpr double seconds_of_silence = 60;

/// Columns of the table, and their headings.
constexpr std::array status_order = {TrialStatus::done,    TrialStatus::running, TrialStatus::interrupted,
                                     TrialStatus::planned, TrialStatus::waiting, TrialStatus::failed,
                                     TrialStatus::damaged};

/// Returns a row for each stage, and one for all if there are several; columns of statuses that trials have.
std::string table_of_counts(std::vector<std::pair<std::string, StatusCounts>> stages) {
  const StatusCounts all = stages.back().second;
  if (stages.size() == 2) stages.pop_back();
  std::vector<std::vector<std::string>> rows{{"stage", "trials"}};
  for (const auto& [name, counts] : stages) rows.push_back({name, std::to_string(counts.all())});
  for (const TrialStatus status : status_order) {
    if (all.of(status) == 0) continue;
    rows[0].emplace_back(name_of(status));
    for (std::size_t i = 0; i < stages.size(); ++i) rows[i + 1].push_back(std::to_string(stages[i].second.of(status)));
  }
  return text_table(rows);
}

/// Returns the text with a blank for each character that would break the line or move a terminal's cursor.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; }, ' ');
  return text;
}

std::string text_of_running(const StudyTrial& trial) {
  if (!trial.progress) return "preparing";
  std::string text = position_text(trial.progress->progress, std::nullopt);
  if (const std::string lost = lost_checkpoints_text(trial.progress->progress); !lost.empty())
    text += concat("  ", lost);
  if (trial.progress->seconds_ago > seconds_of_silence)
    text += concat("  (reported ", readable_duration(trial.progress->seconds_ago), " ago)");
  return text;
}

std::string text_of_failed(const StudyTrial& trial) {
  if (!trial.failure) return "";
  const FailureRecord& failure = *trial.failure;
  return concat(failure.reason, failure.error.empty() ? "" : ": ", failure.error,
                failure.host.empty() ? "" : concat(" (on ", failure.host, ")"));
}

/// Returns a heading and a line for each trial of this status; nothing where there is none.
std::string list_of(const StudyResults& study, TrialStatus status, const std::string& heading,
                    const std::function<std::string(const StudyTrial&)>& text) {
  std::string lines;
  for (const StudyTrial& trial : study.trials)
    if (trial.status == status)
      lines += concat("  ", one_line(concat(title_of(trial.planned), "  ", text(trial))), "\n");
  return lines.empty() ? "" : concat("\n", heading, "\n", lines);
}

}  // namespace

std::string status_text(const StudyResults& study) {
  const auto counts = counts_of(study.trials);
  std::string text = concat("study ", one_line(study.study), " in ", study.folder.string(), "\n\n",
                            table_of_counts(counts), list_of(study, TrialStatus::running, "running:", text_of_running));
  const auto untrained = std::count_if(study.trials.begin(), study.trials.end(),
                                       [](const StudyTrial& trial) { return kept_untrained_state(trial); });
  if (untrained > 0)
    text += concat("\nuntrained: ", untrained, " of ", counts.back().second.of(TrialStatus::done),
                   " done trials kept the state before their first step\n");
  return concat(text, list_of(study, TrialStatus::failed, "failed:", text_of_failed),
                list_of(study, TrialStatus::damaged, "damaged (done, but files have changed since):",
                        [](const StudyTrial& trial) { return trial.problem; }));
}

}  // namespace gausscse
