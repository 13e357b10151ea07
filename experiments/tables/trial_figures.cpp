#include "experiments/tables/trial_figures.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "experiments/tables/table_layout.hpp"

namespace gausscse {

namespace {

constexpr std::string_view of_averages = "average.";

std::optional<Figure> figure_under(const std::vector<Figure>& figures, const std::string& name) {
  const Figure* found = find_figure(figures, name);
  return found ? std::optional(*found) : std::nullopt;
}

void add_names(const std::string& prefix, const std::vector<Figure>& figures, std::vector<std::string>& names) {
  for (const Figure& figure : figures) {
    const std::string name = prefix + figure.name;
    const bool of_part = figure.name.find('.') != std::string::npos;
    if (!of_part && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

}  // namespace

std::optional<Figure> table_figure(const StudyTrial& trial, const std::string& name) {
  if (trial.status != TrialStatus::done) return std::nullopt;
  const bool of_average = name.starts_with(of_averages);
  const std::string rest = of_average ? name.substr(of_averages.size()) : name;
  const std::size_t dot = rest.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string owner = rest.substr(0, dot), figure = rest.substr(dot + 1);
  if (!of_average) {
    const Measurement* task = find_measurement(trial.kept.tasks, owner);
    return task ? figure_under(task->figures, figure) : std::nullopt;
  }
  for (const Average& average : averages_of(trial.kept.tasks))
    if (average.kind == owner) return figure_under(average.figures, figure);
  return std::nullopt;
}

std::vector<std::string> figures_of_stage(const StudyResults& results, const std::string& stage) {
  std::vector<std::string> names, averages;
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != stage || trial.status != TrialStatus::done) continue;
    for (const Measurement& task : trial.kept.tasks) add_names(task.task + ".", task.figures, names);
    for (const Average& average : averages_of(trial.kept.tasks))
      add_names(concat(of_averages, average.kind, "."), average.figures, averages);
  }
  names.insert(names.end(), averages.begin(), averages.end());
  return names;
}

TableSettings default_table(const StudyResults& results) {
  TableSettings table;
  table.name = "all";
  table.stage = stage_of(table, results);
  table.title = concat(results.study, ", all figures of the stage ", table.stage);
  for (const StudyTrial& trial : results.trials)
    if (trial.planned.stage == table.stage)
      for (const auto& [axis, label] : trial.planned.coordinates)
        if (std::find(table.rows.begin(), table.rows.end(), axis) == table.rows.end()) table.rows.push_back(axis);
  for (const std::string& name : figures_of_stage(results, table.stage)) table.figures.push_back({name, "", "", ""});
  return table;
}

}  // namespace gausscse
