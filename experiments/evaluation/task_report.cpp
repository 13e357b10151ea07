#include "experiments/evaluation/task_report.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/results/json_report.hpp"
#include "experiments/results/text_table.hpp"

namespace gausscse {

std::string task_table(std::span<const TaskFigures> tasks) {
  std::vector<std::vector<std::string>> rows{{"task and figure", "value"}};
  for (const TaskFigures& task : tasks)
    for (const Figure& figure : task.figures)
      rows.push_back({task.task + "  " + figure.name, fixed_text(figure.value, figure.is_count ? 0 : 4)});
  std::string text = text_table(rows);
  for (const TaskFigures& task : tasks)
    if (!task.remark.empty()) text += task.task + ": " + task.remark + "\n";
  return text;
}

std::string task_json(std::span<const TaskFigures> tasks) {
  nlohmann::ordered_json of_tasks = nlohmann::ordered_json::object();
  for (const TaskFigures& task : tasks) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::object();
    for (const Figure& figure : task.figures) figures[figure.name] = figure.value;
    of_tasks[task.task] = std::move(figures);
  }
  const nlohmann::ordered_json report{{"format", report_format}, {"kind", "tasks"}, {"tasks", std::move(of_tasks)}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
