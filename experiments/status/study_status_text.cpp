#include <algorithm>
#include <array>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/status/study_progress_text.hpp"
#include "experiments/status/study_status.hpp"
#include "results/text_table.hpp"

namespace gausscse {

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
