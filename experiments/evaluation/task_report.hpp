#pragma once

#include <span>
#include <string>

#include "experiments/evaluation/model_task.hpp"

namespace gausscse {

/// A line for each figure of each task, aligned, with four decimals; then the remarks.
std::string task_table(std::span<const TaskFigures> tasks);

/// {"format", "kind": "tasks", "tasks": {NAME: {FIGURE: value}}}; what does not exist is null.
std::string task_json(std::span<const TaskFigures> tasks);

}  // namespace gausscse
