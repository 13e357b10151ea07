#include "experiments/study/index_columns.hpp"

#include <algorithm>
#include <limits>

namespace gausscse {

namespace {

/// Puts the metrics of a trial in its place of their columns, which have room for `trials`.
void add_figures(const std::string& name, const std::string& kind, const std::vector<Figure>& figures,
                 std::size_t trial, std::size_t trials, std::vector<IndexColumns>& all) {
  auto found = std::find_if(all.begin(), all.end(), [&](const IndexColumns& each) { return each.name == name; });
  if (found == all.end()) found = all.insert(all.end(), IndexColumns{name, kind, {}, {}});
  for (const Figure& figure : figures) {
    const auto [place, is_new] = found->places.try_emplace(figure.name, found->columns.size());
    if (is_new)
      found->columns.push_back(
          {figure.name, figure.unit, std::vector<double>(trials, std::numeric_limits<double>::quiet_NaN())});
    found->columns[place->second].values[trial] = figure.value;
  }
}

}  // namespace

std::vector<IndexColumns> columns_of_tasks(const StudyResults& study) {
  std::vector<IndexColumns> all;
  for (std::size_t i = 0; i < study.trials.size(); ++i)
    for (const Measurement& task : study.trials[i].kept.tasks)
      add_figures(task.task, task.kind, task.figures, i, study.trials.size(), all);
  return all;
}

std::vector<IndexColumns> columns_of_averages(const StudyResults& study) {
  std::vector<IndexColumns> all;
  for (std::size_t i = 0; i < study.trials.size(); ++i)
    for (const Average& average : averages_of(study.trials[i].kept.tasks))
      add_figures(average.kind, average.kind, average.figures, i, study.trials.size(), all);
  return all;
}

std::vector<std::string> axes_of(const StudyResults& study) {
  std::vector<std::string> axes;
  for (const StudyTrial& trial : study.trials)
    for (const auto& [axis, label] : trial.planned.coordinates)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  return axes;
}

}  // namespace gausscse
