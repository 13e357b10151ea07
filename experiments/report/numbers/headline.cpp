#include "experiments/report/numbers/headline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/lists.hpp"
#include "config/tasks/task_settings.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_layout.hpp"
#include "experiments/tables/table_notes.hpp"

namespace gausscse {

namespace {

/// Limit on the metrics of a headline; the tables have all.
constexpr std::size_t most_metrics = 8;
/// Student's interval of two trials is as wide as all that a metric can be.
constexpr std::size_t least_trials_of_t = 3;

/// Metrics of a stage: the first that exists chooses the setting, and `shown` follow it.
struct WantedMetrics {
  std::vector<std::string> choosing, shown;
};

/// Returns the metrics that grids show of the tasks that done trials of a stage have.
std::vector<std::string> main_metrics(const StudyResults& study, const std::string& stage) {
  std::vector<std::string> names;
  for (const StudyTrial& trial : study.trials) {
    if (trial.planned.stage != stage || trial.status != TrialStatus::done) continue;
    for (const Measurement& task : trial.kept.tasks)
      for (const std::string_view metric : mapped_metrics_of(task.kind))
        if (find_metric(task.metrics, metric)) add_once(names, task.task + "." + std::string(metric));
  }
  return names;
}

WantedMetrics wanted_metrics(const StudyResults& study, const std::string& stage, const std::string& selected,
                             const TableSettings* table) {
  const std::vector<std::string> mapped = main_metrics(study, stage);
  WantedMetrics wanted;
  if (table) wanted.choosing.push_back(table->choice.metric);
  wanted.choosing.push_back(selected);
  if (table)
    for (const TableMetric& metric : table->metrics) wanted.shown.push_back(metric.metric);
  else
    wanted.shown = mapped;
  for (const std::vector<std::string>* names : {&std::as_const(wanted.shown), &mapped})
    wanted.choosing.insert(wanted.choosing.end(), names->begin(), names->end());
  std::erase(wanted.choosing, "");
  return wanted;
}

/// A setting and its mean of a metric.
struct Contender {
  const TrialGroup* group = nullptr;
  std::vector<const StudyTrial*> trials;  ///< trials that have the metric
  double printed = 0;
};

std::vector<Contender> contenders_of(const StudyResults& study, const ReportData& data, const std::string& stage,
                                     const std::string& name) {
  std::vector<Contender> contenders;
  for (const TrialGroup& group : data.groups) {
    if (group.stage != stage) continue;
    Contender contender{&group, {}, 0};
    std::vector<double> values;
    for (const std::size_t trial : group.trials) {
      const std::optional<Metric> metric = metric_of(study.trials[trial], name);
      if (!metric || metric->unit != Unit::fraction || std::isnan(metric->value)) continue;
      values.push_back(metric->value);
      contender.trials.push_back(&study.trials[trial]);
    }
    if (values.empty()) continue;
    contender.printed = printed_number(printed_value(mean_of(values), Unit::fraction, false));
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

/// Returns the cells of one setting, with intervals of a kind.
StudyTable table_of_setting(const StudyResults& study, const Contender& setting, const std::vector<std::string>& names,
                            const TableOptions& options, TrialItems& items) {
  StudyResults of_setting{study.folder, study.study, {}};
  for (const StudyTrial* trial : setting.trials) of_setting.trials.push_back(*trial);
  TableSettings settings;
  settings.stage = setting.group->stage;
  for (const std::string& name : names) settings.metrics.push_back({name, "", "", ""});
  return make_table(settings, of_setting, options, items);
}

/// Each metric has the first interval that exists. Metrics of the same items share their draws.
std::vector<HeadlineMetric> metrics_of(const StudyResults& study, const Contender& setting,
                                       const std::vector<std::string>& names, TableOptions options, TrialItems& items) {
  std::vector<setting::CellInterval> kinds{options.interval};
  if (setting.trials.size() >= least_trials_of_t) add_once(kinds, setting::CellInterval::t);
  for (const setting::CellInterval kind : {setting::CellInterval::wilson, setting::CellInterval::bootstrap})
    add_once(kinds, kind);
  std::vector<HeadlineMetric> metrics;
  for (const std::string& name : names) metrics.push_back({name, {}, setting::CellInterval::none});
  for (const setting::CellInterval kind : kinds) {
    std::vector<HeadlineMetric*> left;
    for (HeadlineMetric& metric : metrics)
      if (!metric.cell.low) left.push_back(&metric);
    options.interval = kind;
    StudyTable table = table_of_setting(study, setting, members_of(left, &HeadlineMetric::name), options, items);
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i]->cell = std::move(table.cells[0][i]);
      if (left[i]->cell.low) left[i]->interval = kind;
    }
  }
  std::erase_if(metrics, [](const HeadlineMetric& metric) { return metric.cell.count == 0; });
  return metrics;
}

/// Tests the best setting against another, as a table of two rows.
RunnerUp runner_up(const Contender& best, const Contender& other, const std::string& metric,
                   const TableOptions& options, TrialItems& items) {
  const auto trials_of = [](const Contender& setting) {
    NamedTrials named{setting.group->label, {}};
    for (const StudyTrial* trial : setting.trials) named.trials.push_back(*trial);
    return named;
  };
  const StudyTable table = make_table_of_two(trials_of(other), trials_of(best), {metric},
                                             {.threads = options.threads, .named = true}, items);
  const TableCell &of_other = table.cells[0][0], &of_best = table.cells[1][0];
  RunnerUp second{other.group->label, of_best.value - of_other.value, std::nullopt};
  if (of_best.tests.empty() || !of_best.tests[0].seeds_p) return second;
  second.p = of_best.tests[0].bootstrap_p ? of_best.tests[0].p : of_best.tests[0].seeds_p;
  return second;
}

std::optional<Headline> headline_of_stage(const StudyResults& study, const ReportData& data, const std::string& stage,
                                          const TableSettings* table, const TableOptions& options, TrialItems& items) {
  const WantedMetrics wanted = wanted_metrics(study, stage, data.selected, table);
  for (const std::string& metric : wanted.choosing) {
    const std::vector<Contender> contenders = contenders_of(study, data, stage, metric);
    if (contenders.empty()) continue;
    const Contender& best = *std::max_element(contenders.begin(), contenders.end(),
                                              [](const auto& a, const auto& b) { return a.printed < b.printed; });
    Headline headline;
    headline.stage = stage;
    headline.settings = contenders.size();
    for (const Contender& contender : contenders)
      if (contender.printed == best.printed) headline.best.push_back(contender.group->label);
    headline.trials = static_cast<std::int64_t>(best.trials.size());
    headline.untrained = std::count_if(best.trials.begin(), best.trials.end(),
                                       [](const StudyTrial* trial) { return kept_untrained_state(*trial); });
    const Contender* second = nullptr;
    for (const Contender& contender : contenders)
      if (contender.printed < best.printed && (!second || contender.printed > second->printed)) second = &contender;
    if (second) headline.second = runner_up(best, *second, metric, options, items);
    std::vector<std::string> names{metric};
    for (const std::string& name : wanted.shown)
      if (names.size() < most_metrics) add_once(names, name);
    headline.metrics = metrics_of(study, best, names, options, items);
    headline.baselines = baseline_note(table_of_setting(study, best, names, {}, items), study, false);
    return headline;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Headline> find_headline(const StudyResults& study, const ReportData& data, const TableSettings* table,
                                      const TableOptions& options, TrialItems& items) {
  std::vector<std::string> stages;
  for (const StudyTrial& trial : study.trials) add_once(stages, trial.planned.stage);
  // A manifest of another version may name a stage that the plan does not have.
  if (table && (table->stage.empty() || is_among(stages, table->stage)))
    if (auto found = headline_of_stage(study, data, stage_of(*table, study), table, options, items)) return found;
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
    if (auto found = headline_of_stage(study, data, *stage, nullptr, options, items)) return found;
  return std::nullopt;
}

}  // namespace gausscse
