#pragma once

#include <functional>
#include <span>
#include <vector>

#include "config/tasks/task_settings.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"

namespace gausscse {

using TaskList = std::vector<ListedTask>;

/// Makes the tasks in their order. If several tasks of one kind read SICK, in any of its forms, the first alone stands
/// in averages. Throws InputError as they do.
TaskList make_tasks(std::span<const TaskSettings> settings, const SentenceModel& model, const ReadingSettings& reading);

/// Measures the tasks that are `wanted`, and those whose thresholds they need. Rank 0 has the measurements, in the
/// order of the list, those that are not wanted left out; the others have none. Collective.
std::vector<Measurement> measure_tasks(const TaskList& tasks, const std::function<bool(const ListedTask&)>& wanted,
                                       SentenceEmbedder& model, Communicator& communicator);

}  // namespace gausscse
