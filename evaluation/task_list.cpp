#include "evaluation/task_list.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "evaluation/geometry/geometry_task.hpp"
#include "evaluation/nli/nli_labels_task.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "evaluation/retrieval/retrieval_task.hpp"
#include "evaluation/sts/sts_task.hpp"
#include "evaluation/transfer/transfer_task.hpp"

namespace gausscse {

namespace {

/// Leaves all tasks of a kind on SICK but the first out of averages.
void count_sick_once(std::span<const TaskSettings> settings, TaskList& tasks) {
  std::map<setting::TaskKind, std::string> counted;  // the task that counts
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].development || !tasks[i].of_sick) continue;
    const auto [first, is_new] = counted.try_emplace(kind_of(settings[i]), settings[i].name);
    if (is_new) continue;
    tasks[i].development = true;
    tasks[i].notes.push_back(
        concat(settings[i].name, ": SICK again, as in ", first->second, ", so it counts in no average"));
  }
}

}  // namespace

TaskList make_tasks(std::span<const TaskSettings> settings, const SentenceModel& model,
                    const ReadingSettings& reading) {
  TaskList tasks;
  for (const TaskSettings& each : settings) {
    tasks.push_back(
        std::visit([&](const auto& of_kind) { return make_task(each.name, of_kind, model, reading); }, each.of_kind));
    tasks.back().eval_every = each.eval_every;
    tasks.back().threshold_from = threshold_task_of(each);
  }
  for (ListedTask& task : tasks)
    task.development = task.eval_every > 0 || std::any_of(tasks.begin(), tasks.end(), [&](const ListedTask& other) {
                         return other.threshold_from == task.task->name();
                       });
  count_sick_once(settings, tasks);
  return tasks;
}

std::vector<Measurement> measure_tasks(const TaskList& tasks, const std::function<bool(const ListedTask&)>& wanted,
                                       SentenceEmbedder& model, Communicator& communicator) {
  std::vector<Measurement> measured;
  const auto measure = [&](const ListedTask& listed) {
    const auto begin = std::chrono::steady_clock::now();
    Measurement measurement = listed.task->measure(model, communicator, measured);
    measurement.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measurement.development = listed.development;
    if (communicator.is_root()) measured.push_back(std::move(measurement));
  };
  const auto needed = [&](const ListedTask& source) {
    return wanted(source) || std::any_of(tasks.begin(), tasks.end(), [&](const ListedTask& task) {
             return task.threshold_from == source.task->name() && wanted(task);
           });
  };
  for (const ListedTask& task : tasks)
    if (task.threshold_from.empty() && needed(task)) measure(task);
  for (const ListedTask& task : tasks)
    if (!task.threshold_from.empty() && wanted(task)) measure(task);

  std::vector<Measurement> in_order;
  for (const ListedTask& task : tasks) {
    if (!wanted(task)) continue;
    for (Measurement& measurement : measured)
      if (measurement.task == task.task->name()) in_order.push_back(std::move(measurement));
  }
  return in_order;
}

}  // namespace gausscse
