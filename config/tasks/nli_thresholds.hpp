#pragma once

#include <string>
#include <vector>

#include "config/tasks/task_settings.hpp"

namespace gausscse {

/// Returns the name of the NLI task that the threshold comes from; empty where it is the task's own, or a number, or
/// the task of another kind.
std::string threshold_task_of(const TaskSettings& task);

/// Returns the names of the NLI tasks that choose a threshold on their own set.
std::vector<std::string> tasks_with_own_threshold(const std::vector<TaskSettings>& tasks);

/// Returns whether the key `threshold` would take this name of a task for something else.
bool is_threshold_word(const std::string& name);

}  // namespace gausscse
