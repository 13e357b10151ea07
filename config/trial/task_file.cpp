#include "config/trial/task_file.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/trial/task_map.hpp"

namespace gausscse {

namespace {

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
  return tasks;
}

std::vector<TaskSettings> read_task_file(const std::filesystem::path& path) {
  return parse_tasks(read_whole_file(path, max_yaml_bytes), path.string(),
                     std::filesystem::absolute(path).parent_path());
}

}  // namespace gausscse
