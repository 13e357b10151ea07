#include "experiments/manifest/stage_tasks.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/manifest/metric_name.hpp"
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

std::string StageTasks::problem_of(const std::string& column, const std::string& stage, bool of_all,
                                   const std::vector<std::string>& listed) const {
  if (is_average(column)) return problem_of_average(column, listed);
  const std::string task = task_of_metric(column);
  if (std::string problem = problem_of_task(task, stage, of_all); !problem.empty()) return problem;
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return "";
  const std::string metric = column.substr(std::min(task.size() + 1, column.size()));
  std::vector<std::string> known;
  for (const MetricNames& names : found->second.names) {
    if (names.may_have(metric)) return "";
    known.insert(known.end(), names.whole.begin(), names.whole.end());
  }
  if (known.empty()) return "";
  return concat("the task ", quoted(task), " gives no metric ", quoted(metric), nearest_name(metric, known));
}

std::string StageTasks::problem_of_average(const std::string& column, const std::vector<std::string>& listed) const {
  const auto [kind, metric] = divided_average(column);
  const auto is_part = [&, kind = kind, metric = metric](const std::string& other) {
    const std::string task = task_of_metric(other);
    const auto found = tasks_.find(task);
    return other == concat(task, ".", metric) &&
           (found == tasks_.end() ? some_are_unknown_ || trials_ == 0 : found->second.kind == kind);
  };
  if (std::count_if(listed.begin(), listed.end(), is_part) > 1) return "";
  return concat(quoted(column), " is over the tasks of the kind ", quoted(kind), " whose ", quoted(metric),
                " the table has as a column, and these are fewer than two: add their columns, or write mean(TASK.",
                metric, ", TASK.", metric, ")");
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
