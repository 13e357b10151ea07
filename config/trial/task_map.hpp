#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/key.hpp"
#include "config/tasks/task_settings.hpp"

namespace YAML {
class Emitter;
}

namespace gausscse {

/// Reads a map from names to tasks, as the key `tasks` holds it, in its order. Adds each fault to the context's
/// problems: an unknown name or kind, a key that the kind does not have, a value of the wrong type or out of range. A
/// threshold that names no NLI task with its own threshold is a fault, too.
std::vector<TaskSettings> read_task_map(const YamlNode& node, const KeyContext& context);

void write_task_map(const std::vector<TaskSettings>& tasks, YAML::Emitter& out);

/// Returns the task as YAML, for messages and comparisons.
std::string to_text(const TaskSettings& task);

/// Reads tasks, in their order, from YAML:
///
///     tasks:
///       sts13: {kind: sts, files: [sts/sts13]}
///       stsb_test: {kind: sts, files: [sts/stsbenchmark/sts-test.csv]}
///       tokens: {kind: geometry, files: [sentences.txt], pads: true}
///
/// Relative paths start from `base_folder`. `source` is shown as the file in messages. Throws InputError with all
/// faults, each with its place. These are no tasks, an unknown name or kind, a key that the kind does not have, and a
/// value of the wrong type or out of range.
std::vector<TaskSettings> parse_tasks(std::string_view yaml, std::string_view source,
                                      const std::filesystem::path& base_folder);

/// Reads the tasks of a file, from whose folder relative paths start.
std::vector<TaskSettings> read_task_file(const std::filesystem::path& path);

}  // namespace gausscse
