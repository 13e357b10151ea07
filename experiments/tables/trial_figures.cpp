#include "experiments/tables/trial_figures.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/tables/table_layout.hpp"

namespace gausscse {

namespace {

void add_names(const std::string& prefix, const std::vector<Figure>& figures, std::vector<std::string>& names) {
  for (const Figure& figure : figures) {
    const std::string name = prefix + figure.name;
    const bool of_part = figure.name.find('.') != std::string::npos;
    if (!of_part && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

}  // namespace

std::vector<std::string> figures_of_stage(const StudyResults& results, const std::string& stage) {
  std::vector<std::string> names, averages;
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != stage || trial.status != TrialStatus::done) continue;
    for (const Measurement& task : trial.kept.tasks) add_names(task.task + ".", task.figures, names);
    for (const Average& average : averages_of(trial.kept.tasks))
      add_names(concat("average.", average.kind, "."), average.figures, averages);
  }
  names.insert(names.end(), averages.begin(), averages.end());
  return names;
}

TableSettings default_table(const StudyResults& results) {
  TableSettings table;
  table.name = "all";
  table.stage = stage_of(table, results);
  table.title = concat(results.study, ", all metrics of the stage ", table.stage);
  for (const StudyTrial& trial : results.trials)
    if (trial.planned.stage == table.stage)
      for (const auto& [axis, label] : trial.planned.coordinates)
        if (std::find(table.rows.begin(), table.rows.end(), axis) == table.rows.end()) table.rows.push_back(axis);
  for (const std::string& name : figures_of_stage(results, table.stage)) table.figures.push_back({name, "", "", ""});
  return table;
}

}  // namespace gausscse
