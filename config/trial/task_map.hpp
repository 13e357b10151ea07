#pragma once

#include <string>
#include <vector>

#include "config/schema/key.hpp"
#include "config/trial/task_settings.hpp"

namespace YAML {
class Emitter;
}

namespace gausscse {

/// Returns a task with the defaults of its kind, which reads no file yet.
TaskSettings default_task(std::string name, setting::TaskKind kind);

/// Reads a map from names to tasks, as the key `tasks` holds it, in its order. All that is wrong is added to the
/// context's problems: a name or kind that is none, a key that the kind does not have, a value of the wrong type or out
/// of range, a threshold that names no NLI task with its own threshold.
std::vector<TaskSettings> read_task_map(const YamlNode& node, const KeyContext& context);

void write_task_map(const std::vector<TaskSettings>& tasks, YAML::Emitter& out);

/// Returns the task as YAML, for messages and comparisons.
std::string to_text(const TaskSettings& task);

}  // namespace gausscse
