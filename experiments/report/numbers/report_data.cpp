#include "experiments/report/numbers/report_data.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

/// Returns the points of a curve for this many groups: the page stays below some megabytes.
std::size_t points_for(std::size_t groups) {
  return groups <= 10 ? 200 : groups <= 20 ? 100 : 60;
}

/// Returns true for the first groups of the last stage, then those of the stage before, and so on, until there are
/// enough. Groups without a done trial take no place.
std::vector<bool> choose_shown(const StudyResults& study, const std::vector<TrialGroup>& groups) {
  std::vector<std::string> stages;
  for (const TrialGroup& group : groups) add_once(stages, group.stage);
  std::vector<bool> shown(groups.size(), false);
  std::size_t left = most_shown_groups;
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    for (std::size_t i = 0; i < groups.size() && left > 0; ++i) {
      const auto is_done = [&](std::size_t trial) { return study.trials[trial].status == TrialStatus::done; };
      if (groups[i].stage != *stage || std::none_of(groups[i].trials.begin(), groups[i].trials.end(), is_done))
        continue;
      shown[i] = true;
      --left;
    }
  }
  return shown;
}

/// Returns the trial of a result. A configuration of another version of the program may be none of this one's.
std::optional<Trial> trial_of(const RunResult& result) {
  try {
    return parse_trial(result.configuration, "the configuration", "/");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

RunResult shown_result(const StudyTrial& trial, TrialItems* items) {
  const ResultParts parts{.kept_metrics = false,
                          .line = is_drawn_metric,
                          .state = is_drawn_state,
                          .column = [items](const Measurement& task, std::string_view column) {
                            return is_drawn_column(task.kind, column) || (items && task.kind.starts_with("nli"));
                          }};
  RunResult result = full_result(trial, parts);
  if (items && !result.states.empty()) items->take(trial, result.states.front());
  return result;
}

ReportData gather_report(const StudyResults& study, const ResultLoader& load) {
  ReportData data;
  data.groups = groups_of(study.trials);
  data.shown = choose_shown(study, data.groups);
  data.settings.resize(study.trials.size());
  data.provenance.resize(study.trials.size());
  const auto points = points_for(static_cast<std::size_t>(std::count(data.shown.begin(), data.shown.end(), true)));
  for (std::size_t i = 0; i < data.groups.size(); ++i) {
    GroupSummary& summary = data.summaries.emplace_back(GroupSummary{points, data.shown[i]});
    // The configuration is the first result's: those of the others differ by their seed.
    std::optional<Trial> configuration;
    for (const std::size_t number : data.groups[i].trials) {
      const StudyTrial& trial = study.trials[number];
      if (trial.status != TrialStatus::done) continue;
      try {
        const RunResult result = load(trial);
        if (!configuration && (data.shown[i] || data.selected.empty())) configuration = trial_of(result);
        data.settings[number] = settings_of(result.configuration);
        data.provenance[number] = provenance_of(result.provenance);
        if (data.selected.empty() && configuration && !configuration->select.task.empty())
          data.selected = configuration->select.task + "." + configuration->select.metric;
        for (const std::string& problem : summary.add(result, configuration))
          data.problems.push_back(concat(title_of(trial.planned), ": ", problem));
      } catch (const std::runtime_error& error) {
        data.problems.push_back(concat(title_of(trial.planned), ": its result cannot be read: ", error.what()));
      }
    }
  }
  return data;
}

}  // namespace gausscse
