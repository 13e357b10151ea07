#include "config/trial/task_map.hpp"

#include <algorithm>
#include <memory>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "config/trial/label_map.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

void read_task(const YamlNode::Entry& entry, const KeyContext& context, std::vector<TaskSettings>& tasks) {
  const auto add = [&](const YamlPosition& position, const std::string& problem) {
    context.problems.add(concat(to_string(position), ": ", problem));
  };
  if (!is_test_name(entry.key))
    return add(entry.position, concat("the name of a task, ", quoted(entry.key), ", is not ", test_name_rule));
  if (is_threshold_word(entry.key))
    return add(entry.position, concat("a task cannot be called ", quoted(entry.key),
                                      ", which would mean something else as a threshold: choose another name"));
  const std::string known = listed_words<setting::TaskKind>();
  if (entry.value.kind != YamlNode::Kind::map)
    return add(entry.value.position, concat("tasks.", entry.key, ": ", describe(entry.value),
                                            " is not a map of keys: NAME: {kind: sts, files: ...}"));
  const YamlNode::Entry* kind = find_entry(entry.value, "kind");
  if (!kind) return add(entry.position, concat("tasks.", entry.key, ".kind is missing: add it (", known, ")"));
  try {
    const auto choice = key_kinds::read_choice<setting::TaskKind>(kind->value);
    tasks.push_back(default_task(entry.key, choice));
    const std::string name = concat("tasks.", entry.key);
    KeyReader(task_keys(choice), context, name + ".")
        .read_all(with_labels_by_name(entry.value, name, context.problems), tasks.back());
  } catch (const ValueProblem& problem) {
    add(problem.position, concat("tasks.", entry.key, ".kind: ", problem.problem, " (allowed: ", known, ")"));
  }
}

void check_thresholds(const YamlNode& node, const KeyContext& context, const std::vector<TaskSettings>& tasks) {
  const std::vector<std::string> with_own = tasks_with_own_threshold(tasks);
  for (const TaskSettings& task : tasks) {
    const std::string from = threshold_task_of(task);
    if (from.empty() || std::find(with_own.begin(), with_own.end(), from) != with_own.end()) continue;
    const YamlNode::Entry* key = find_entry(find_entry(node, task.name)->value, "threshold");
    context.problems.add(concat(to_string(key->value.position), ": tasks.", task.name, ".threshold: ", quoted(from),
                                " is neither a number nor another NLI task with the threshold own",
                                nearest_name(from, with_own)));
  }
}

using Tasks = std::vector<TaskSettings>;

const Keys<Tasks>& file_keys() {
  static const Keys<Tasks> keys{{.name = "tasks",
                                 .allowed = "a map from names to tasks",
                                 .meaning = "Tasks to measure.",
                                 .required = true,
                                 .read = [](const YamlNode& node, const KeyContext& context,
                                            Tasks& tasks) { tasks = read_task_map(node, context); },
                                 .write = [](const Tasks&, YAML::Emitter&) {}}};
  return keys;
}

}  // namespace

std::vector<TaskSettings> read_task_map(const YamlNode& node, const KeyContext& context) {
  if (node.kind != YamlNode::Kind::map)
    throw ValueProblem{node.position,
                       concat(describe(node), " is not a map from names to tasks: NAME: {kind: sts, files: ...}")};
  if (node.entries.empty())
    throw ValueProblem{node.position, "the map is empty: give a task, NAME: {kind: sts, files: ...}, or no tasks"};
  std::vector<TaskSettings> tasks;
  for (const YamlNode::Entry& entry : node.entries) read_task(entry, context, tasks);
  // A task that could not be read may or may not have a threshold.
  if (tasks.size() == node.entries.size()) check_thresholds(node, context, tasks);
  return tasks;
}

std::string to_text(const TaskSettings& task) {
  YAML::Emitter out;
  out << YAML::Flow;
  write_keys(task_keys(kind_of(task)), task, out);
  return out.c_str();
}

void write_task_map(const std::vector<TaskSettings>& tasks, YAML::Emitter& out) {
  out << YAML::BeginMap;
  for (const TaskSettings& task : tasks) {
    out << YAML::Key << task.name << YAML::Value;
    write_keys(task_keys(kind_of(task)), task, out);
  }
  out << YAML::EndMap;
}

std::vector<TaskSettings> parse_tasks(std::string_view yaml, std::string_view source,
                                      const std::filesystem::path& base_folder) {
  const YamlNode root = parse_yaml_document(yaml, std::make_shared<const std::string>(source));
  if (root.kind != YamlNode::Kind::map)
    throw InputError(concat(source, ": holds ", describe(root), ", not a map with the key tasks"));
  ProblemList problems;
  const std::filesystem::path absolute_folder = std::filesystem::absolute(base_folder);
  Tasks tasks;
  KeyReader(file_keys(), KeyContext{absolute_folder, problems}).read_all(root, tasks);
  problems.throw_if_any();
  for (const TaskSettings& task : tasks)
    if (measures_held_out(task))
      problems.add(concat(source, ": tasks.", task.name, ".files is missing: add it (a path); examples that a trial ",
                          "holds out are measured by its training alone"));
  problems.throw_if_any();
  return tasks;
}

std::vector<TaskSettings> read_task_file(const std::filesystem::path& path) {
  return parse_tasks(read_whole_file(path, max_yaml_bytes), path.string(),
                     std::filesystem::absolute(path).parent_path());
}

}  // namespace gausscse
