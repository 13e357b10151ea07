#include "experiments/tables/trial_items.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/tables/table_layout.hpp"

namespace gausscse {

namespace {

bool is_of_part(const std::string& metric) {
  return metric.find('.') != std::string::npos;
}

void add_names(const std::string& prefix, const std::vector<Metric>& metrics, std::vector<std::string>& names) {
  for (const Metric& metric : metrics) {
    const std::string name = prefix + metric.name;
    if (!is_of_part(metric.name)) add_once(names, name);
  }
}

}  // namespace

std::vector<std::string> metrics_of_stage(const StudyResults& results, const std::string& stage) {
  std::vector<std::string> names;
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != stage || trial.status != TrialStatus::done) continue;
    for (const Measurement& task : trial.kept.tasks) add_names(task.task + ".", task.metrics, names);
  }
  return names;
}

TableSettings default_table(const StudyResults& results) {
  TableSettings table;
  table.name = "all";
  table.stage = stage_of(table, results);
  for (const StudyTrial& trial : results.trials)
    if (trial.status == TrialStatus::done) table.stage = trial.planned.stage;
  table.title = concat(results.study, ", all metrics of the stage ", table.stage);
  for (const StudyTrial& trial : results.trials)
    if (trial.planned.stage == table.stage)
      for (const auto& [axis, label] : trial.planned.coordinates)
        if (!is_among(table.rows, axis)) table.rows.push_back(axis);
  for (const std::string& name : metrics_of_stage(results, table.stage)) table.metrics.push_back({name, "", "", ""});
  return table;
}

namespace {

/// Returns a measurement without the float32 columns, which hold scores: the rest identifies its items.
std::unique_ptr<Measurement> without_scores(const Measurement& measurement) {
  auto rest = std::make_unique<Measurement>(measurement);
  std::erase_if(rest->columns, [](const Column& column) {
    return std::holds_alternative<std::vector<float>>(column.values) ||
           std::holds_alternative<VectorRows>(column.values);
  });
  return rest;
}

}  // namespace

std::string metric_in(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? std::string() : name.substr(dot + 1);
}

const Measurement* TrialItems::same_items(const Measurement& measurement, const std::string& metric) {
  for (const auto& known : measured_)
    if (known->task == measurement.task && items_obstacle(*known, measurement, metric).empty()) return known.get();
  measured_.push_back(without_scores(measurement));
  return measured_.back().get();
}

void TrialItems::add(const StudyTrial& trial, const Measurement& task, const std::string& metric) {
  if (!has_items(task, metric)) return;
  items_[{trial.planned.identity, concat(task.task, ".", metric)}] =
      Items{item_metric(task, metric), same_items(task, metric)};
}

void TrialItems::add_shares(const StudyTrial& trial, const StateResult& kept, bool of_parts) {
  for (const Measurement& task : kept.tasks)
    for (const Metric& share : task.metrics)
      if (is_share_of_items(share.name) && is_of_part(share.name) == of_parts) add(trial, task, share.name);
}

void TrialItems::take(const StudyTrial& trial, const StateResult& kept) {
  add_shares(trial, kept, false);
}

void TrialItems::read(const StudyTrial& trial, const std::string& name) {
  try {
    // All shares of a kind at once, so that a table of several reads the file once.
    const bool is_share = is_share_of_items(metric_in(name));
    const auto is_read = [&](const Measurement& task, std::string_view) {
      return is_share || concat(task.task, ".", metric_in(name)) == name;
    };
    const std::optional<StateResult> of_file =
        trial.folder.empty() ? std::nullopt : std::optional(kept_with_columns(trial, is_read));
    const StateResult& kept = of_file ? *of_file : trial.kept;
    if (is_share) return add_shares(trial, kept, is_of_part(metric_in(name)));
    for (const Measurement& task : kept.tasks)
      if (is_read(task, "")) add(trial, task, metric_in(name));
  } catch (const InputError& error) {
    problems_[trial.planned.identity] = error.what();
  }
}

const std::string* TrialItems::problem_of(const StudyTrial& trial) const {
  const auto problem = problems_.find(trial.planned.identity);
  return problem == problems_.end() ? nullptr : &problem->second;
}

std::vector<std::string> TrialItems::problems() const {
  std::vector<std::string> problems;
  for (const auto& [identity, problem] : problems_) problems.push_back(problem);
  return problems;
}

const TrialItems::Items* TrialItems::find(const StudyTrial& trial, const std::string& name) {
  if (trial.status != TrialStatus::done || !is_metric_of_items(metric_in(name))) return nullptr;
  const std::pair key{trial.planned.identity, name};
  if (!items_.contains(key)) {
    if (!problems_.contains(trial.planned.identity)) read(trial, name);
    items_.try_emplace(key);
  }
  const std::optional<Items>& found = items_.at(key);
  return found ? &*found : nullptr;
}

}  // namespace gausscse
