#include "config/tasks/nli_thresholds.hpp"

namespace gausscse {

std::string threshold_task_of(const TaskSettings& task) {
  const auto* nli = std::get_if<NliTaskSettings>(&task.of_kind);
  return nli && !is_threshold_word(nli->threshold) ? nli->threshold : "";
}

std::vector<std::string> tasks_with_own_threshold(const std::vector<TaskSettings>& tasks) {
  std::vector<std::string> names;
  for (const TaskSettings& task : tasks)
    if (const auto* nli = std::get_if<NliTaskSettings>(&task.of_kind); nli && nli->threshold == own_threshold)
      names.push_back(task.name);
  return names;
}

bool is_threshold_word(const std::string& name) {
  NliTaskSettings task;
  task.threshold = name;
  return name == own_threshold || fixed_threshold_of(task);
}

}  // namespace gausscse
