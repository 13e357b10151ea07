#include "experiments/manifest/stage_tasks.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/manifest/figure_name.hpp"
#include "model/objective/objective_settings.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

void StageTasks::add(const Trial& trial, bool is_partial) {
  ++trials_;
  some_are_unknown_ = some_are_unknown_ || is_partial;
  for (const TaskSettings& settings : trial.tasks) {
    Task& task = tasks_[settings.name];
    ++task.trials;
    task.kind = name_of(kind_of(settings));
    for (const bool has_directions : {false, true}) {
      if (!is_partial && has_directions != has_direction(similarity_of(trial.objective))) continue;
      MetricNames names = metric_names_of(settings, has_directions);
      if (std::find(task.names.begin(), task.names.end(), names) == task.names.end())
        task.names.push_back(std::move(names));
    }
  }
}

std::string StageTasks::problem_of(const std::string& figure, const std::string& stage, bool of_all) const {
  const std::string task = task_of_figure(figure);
  std::string metric = figure.substr(std::min(task.size() + 1, figure.size())), kind;
  const bool is_average = task == "average";
  if (is_average) {
    kind = task_of_figure(metric);
    metric = metric.substr(std::min(kind.size() + 1, metric.size()));
  } else if (std::string problem = problem_of_task(task, stage, of_all); !problem.empty()) {
    return problem;
  }
  if (!is_average && some_are_unknown_ && !tasks_.contains(task)) return "";
  std::vector<std::string> known;
  for (const auto& [name, each] : tasks_) {
    if (is_average ? each.kind != kind : name != task) continue;
    for (const MetricNames& names : each.names) {
      if (names.may_have(metric)) return "";
      known.insert(known.end(), names.whole.begin(), names.whole.end());
    }
  }
  if (known.empty()) return "";
  return concat(is_average ? concat("tasks of the kind ", quoted(kind)) : concat("the task ", quoted(task)),
                is_average ? " give" : " gives", " no metric ", quoted(metric), nearest_name(metric, known));
}

std::string StageTasks::problem_of_task(const std::string& task, const std::string& stage, bool of_all) const {
  const auto found = tasks_.find(task);
  const std::size_t with_task = found == tasks_.end() ? 0 : found->second.trials;
  if (some_are_unknown_ || (of_all ? with_task == trials_ : with_task > 0 || trials_ == 0)) return "";
  std::vector<std::string> known;
  for (const auto& [name, each] : tasks_) known.push_back(name);
  return concat(quoted(task), " is no task of ", of_all ? "all " : "the ", "trials of the stage ", stage,
                nearest_name(task, known));
}

}  // namespace gausscse
