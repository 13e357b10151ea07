#include "experiments/status/study_status.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/status/study_progress.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

std::optional<ToldProgress> progress_of(const StudyTrial& trial) {
  if (trial.status != TrialStatus::running || trial.folder.empty()) return std::nullopt;
  const fs::path file = trial.folder / study_layout::progress;
  const auto progress = read_progress(file);
  std::error_code gone;
  const fs::file_time_type written = fs::last_write_time(file, gone);
  if (!progress || gone) return std::nullopt;
  const std::chrono::duration<double> age = fs::file_time_type::clock::now() - written;
  return ToldProgress{*progress, std::max(0.0, age.count())};
}

}  // namespace

StudyStatus read_status(const fs::path& results) {
  StudyStatus status{read_study(results), {}};
  for (const StudyTrial& trial : status.study.trials) status.progress.push_back(progress_of(trial));
  return status;
}

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

namespace {

/// Seconds after which a training that reports nothing evaluates, or does not run any more.
constexpr double seconds_of_silence = 60;

using StatusCounts = std::array<std::size_t, names<TrialStatus>.size()>;

/// Columns of the table, and what stands above them.
constexpr std::array status_order = {TrialStatus::done,    TrialStatus::running, TrialStatus::interrupted,
                                     TrialStatus::planned, TrialStatus::waiting, TrialStatus::failed,
                                     TrialStatus::damaged};

std::size_t& count_in(StatusCounts& counts, TrialStatus status) {
  return counts[static_cast<std::size_t>(status)];
}

/// Returns a row a stage, in the plan's order, and one for all; columns of statuses that trials have.
std::string table_of_counts(const std::vector<StudyTrial>& trials) {
  std::vector<std::pair<std::string, StatusCounts>> stages;
  StatusCounts all{};
  for (const StudyTrial& trial : trials) {
    const auto is_its = [&](const auto& stage) { return stage.first == trial.planned.stage; };
    auto stage = std::find_if(stages.begin(), stages.end(), is_its);
    if (stage == stages.end()) stage = stages.insert(stages.end(), {trial.planned.stage, {}});
    ++count_in(stage->second, trial.status);
    ++count_in(all, trial.status);
  }
  if (stages.size() != 1) stages.emplace_back("all", all);
  std::vector<std::vector<std::string>> rows{{"stage", "trials"}};
  for (const TrialStatus status : status_order)
    if (count_in(all, status) > 0) rows[0].emplace_back(name_of(status));
  for (auto& [name, counts] : stages) {
    std::size_t trials_of_stage = 0;
    for (const std::size_t count : counts) trials_of_stage += count;
    rows.push_back({name, std::to_string(trials_of_stage)});
    for (const TrialStatus status : status_order)
      if (count_in(all, status) > 0) rows.back().push_back(std::to_string(count_in(counts, status)));
  }
  return text_table(rows);
}

/// Returns the text with a blank for each character that would break the line or move a terminal's cursor.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; }, ' ');
  return text;
}

std::string told_text(const std::optional<ToldProgress>& told) {
  if (!told) return "preparing";
  std::string text = position_text({"", std::nullopt, told->progress});
  if (const std::string lost = lost_checkpoints_text(told->progress); !lost.empty()) text += concat("  ", lost);
  if (told->seconds_ago > seconds_of_silence)
    text += concat("  (reported ", readable_duration(told->seconds_ago), " ago)");
  return text;
}

std::ptrdiff_t done_trials(const std::vector<StudyTrial>& trials) {
  return std::count_if(trials.begin(), trials.end(),
                       [](const StudyTrial& trial) { return trial.status == TrialStatus::done; });
}

std::string failure_of(const StudyTrial& trial) {
  if (!trial.failure) return "";
  const FailureRecord& failure = *trial.failure;
  std::string text = failure.reason;
  if (!failure.error.empty()) text += concat(": ", failure.error);
  if (!failure.host.empty()) text += concat(" (on ", failure.host, ")");
  return text;
}

/// Returns a heading and a line for each trial of this status; nothing where there is none.
std::string list_of(const StudyStatus& status, TrialStatus wanted, const std::string& heading,
                    const std::function<std::string(std::size_t trial)>& text) {
  std::string lines;
  for (std::size_t i = 0; i < status.study.trials.size(); ++i)
    if (status.study.trials[i].status == wanted)
      lines += concat("  ", one_line(concat(title_of(status.study.trials[i].planned), "  ", text(i))), "\n");
  return lines.empty() ? "" : concat("\n", heading, "\n", lines);
}

}  // namespace

std::string status_text(const StudyStatus& status) {
  const std::vector<StudyTrial>& trials = status.study.trials;
  std::string text = concat("study ", one_line(status.study.study), " in ", status.study.folder.string(), "\n\n",
                            table_of_counts(trials));
  text +=
      list_of(status, TrialStatus::running, "running:", [&](std::size_t i) { return told_text(status.progress[i]); });
  const auto untrained =
      std::count_if(trials.begin(), trials.end(), [](const StudyTrial& trial) { return kept_untrained_state(trial); });
  if (untrained > 0)
    text += concat("\nuntrained: ", untrained, " of ", done_trials(trials),
                   " done trials kept the state before their "
                   "first step\n");
  text += list_of(status, TrialStatus::failed, "failed:", [&](std::size_t i) { return failure_of(trials[i]); });
  text += list_of(status, TrialStatus::damaged,
                  "damaged (done, but files have changed since):", [&](std::size_t i) { return trials[i].problem; });
  return text;
}

}  // namespace gausscse
