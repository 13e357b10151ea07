#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "experiments/status/study_status.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* status_format = "gausscse-status/1";

Json counts_of(const std::vector<StudyTrial>& trials, const std::string* stage) {
  Json counts = Json::object();
  for (const auto& [status, name] : names<TrialStatus>) {
    std::size_t count = 0;
    for (const StudyTrial& trial : trials)
      if (trial.status == status && (!stage || trial.planned.stage == *stage)) ++count;
    counts[std::string(name)] = count;
  }
  return counts;
}

Json stages_of(const std::vector<StudyTrial>& trials) {
  Json stages = Json::object();
  for (const StudyTrial& trial : trials)
    if (!stages.contains(trial.planned.stage)) stages[trial.planned.stage] = counts_of(trials, &trial.planned.stage);
  return stages;
}

Json progress_json(const std::optional<ToldProgress>& told) {
  if (!told) return nullptr;
  const TrainingProgress& progress = told->progress;
  Json json{{"phase", name_of(progress.phase)},      {"step", progress.step},
            {"total_steps", progress.total_steps},   {"examples_per_second", progress.examples_per_second},
            {"seconds_left", progress.seconds_left}, {"seconds_ago", told->seconds_ago}};
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

Json trial_json(const StudyTrial& trial, const std::optional<ToldProgress>& told) {
  Json coordinates = Json::object();
  for (const auto& [axis, label] : trial.planned.coordinates) coordinates[axis] = label;
  Json json{{"title", title_of(trial.planned)},   {"stage", trial.planned.stage},
            {"coordinates", coordinates},         {"seed", trial.planned.seed},
            {"identity", trial.planned.identity}, {"status", name_of(trial.status)}};
  if (!trial.folder.empty()) json["folder"] = trial.folder.string();
  if (!trial.planned.waits_for.empty()) json["waits_for"] = trial.planned.waits_for;
  if (trial.status == TrialStatus::running) json["progress"] = progress_json(told);
  if (trial.run) json["seconds"] = trial.run->seconds;
  if (trial.status == TrialStatus::damaged) json["problem"] = trial.problem;
  if (kept_untrained_state(trial)) json["untrained"] = true;
  if (trial.failure) json["failure"] = failure_json(*trial.failure);
  return json;
}

}  // namespace

std::string status_json(const StudyStatus& status) {
  const std::vector<StudyTrial>& trials = status.study.trials;
  Json list = Json::array();
  for (std::size_t i = 0; i < trials.size(); ++i) list.push_back(trial_json(trials[i], status.progress[i]));
  const Json json{{"format", status_format},
                  {"study", status.study.study},
                  {"folder", status.study.folder.string()},
                  {"counts", counts_of(trials, nullptr)},
                  {"stages", stages_of(trials)},
                  {"trials", list}};
  // Logs may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
