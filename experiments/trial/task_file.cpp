#include "experiments/trial/task_file.hpp"

#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/results/test_name.hpp"
#include "experiments/trial/problem_list.hpp"
#include "experiments/trial/trial_key_kinds.hpp"
#include "experiments/trial/yaml_document.hpp"
#include "experiments/trial/yaml_value.hpp"

namespace gausscse {

namespace {

using Paths = std::vector<std::filesystem::path>;

/// A key of a kind of task.
template <typename Settings>
struct Key {
  std::string name;
  std::function<void(const YamlNode&, const std::filesystem::path& base_folder, Settings&)> read;
};

template <typename Settings>
using Keys = std::vector<Key<Settings>>;

/// One path or a list of them, at least one.
Paths read_paths(const YamlNode& node, const std::filesystem::path& base_folder) {
  if (node.kind != YamlNode::Kind::sequence) return {key_kinds::read_path(node, base_folder)};
  if (node.items.empty()) throw ValueProblem{node.position, "the list is empty"};
  Paths paths;
  for (const YamlNode& item : node.items) paths.push_back(key_kinds::read_path(item, base_folder));
  return paths;
}

std::int64_t read_integer_in(const YamlNode& node, std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = read_integer(node);
  if (value < lowest || value > highest)
    throw ValueProblem{node.position, concat(value, " is not from ", lowest, " to ", highest)};
  return value;
}

template <typename Settings>
Key<Settings> integer(std::string name, std::int64_t Settings::*member, std::int64_t lowest, std::int64_t highest) {
  return {std::move(name), [=](const YamlNode& node, const std::filesystem::path&, Settings& settings) {
            settings.*member = read_integer_in(node, lowest, highest);
          }};
}

template <typename Settings>
Key<Settings> boolean(std::string name, bool Settings::*member) {
  return {std::move(name), [=](const YamlNode& node, const std::filesystem::path&, Settings& settings) {
            settings.*member = read_bool(node);
          }};
}

const Keys<StsTaskSettings>& keys_of(const StsTaskSettings&) {
  static const Keys<StsTaskSettings> keys{
      {"files", [](const YamlNode& node, const std::filesystem::path& base_folder,
                   StsTaskSettings& settings) { settings.files = read_paths(node, base_folder); }},
      integer("year", &StsTaskSettings::year, 12, 16),
      boolean("collapse_white_space", &StsTaskSettings::collapse_white_space)};
  return keys;
}

const Keys<GeometryTaskSettings>& keys_of(const GeometryTaskSettings&) {
  static const Keys<GeometryTaskSettings> keys{
      {"files",
       [](const YamlNode& node, const std::filesystem::path& base_folder, GeometryTaskSettings& settings) {
         const Paths paths = read_paths(node, base_folder);
         if (paths.size() != 1) throw ValueProblem{node.position, "a geometry task takes one file"};
         settings.file = paths.front();
       }},
      boolean("pads", &GeometryTaskSettings::pads),
      integer("samples", &GeometryTaskSettings::samples, 2, 100'000),
      integer("draws", &GeometryTaskSettings::draws, 0, 1000),
      integer("seed", &GeometryTaskSettings::seed, 0, std::numeric_limits<std::int64_t>::max())};
  return keys;
}

class TaskReader {
 public:
  TaskReader(const std::filesystem::path& base_folder, ProblemList& problems)
      : base_folder_(base_folder), problems_(problems) {}

  std::vector<TaskSettings> read(const YamlNode& root) {
    std::vector<TaskSettings> tasks;
    bool found = false;
    for (const YamlNode::Entry& entry : root.entries) {
      if (entry.key != "tasks") {
        add(entry.position, concat("the key ", quoted(entry.key), " is not known", nearest_name(entry.key, {"tasks"}),
                                   "; a file of tasks has the key tasks alone"));
        continue;
      }
      found = true;
      if (entry.value.kind != YamlNode::Kind::map || entry.value.entries.empty()) {
        add(entry.value.position, concat("tasks: ", describe(entry.value),
                                         " is not a map from names to tasks: NAME: {kind: sts, files: ...}"));
        continue;
      }
      for (const YamlNode::Entry& task : entry.value.entries) read_task(task, tasks);
    }
    if (!found) add(root.position, "there is no key tasks: add a map from names to tasks");
    return tasks;
  }

 private:
  void add(const YamlPosition& position, const std::string& problem) {
    problems_.add(concat(to_string(position), ": ", problem));
  }

  void read_task(const YamlNode::Entry& task, std::vector<TaskSettings>& tasks) {
    if (!is_test_name(task.key)) {
      add(task.position, concat("the name of a task, ", quoted(task.key), ", is not ", test_name_rule));
      return;
    }
    if (task.value.kind != YamlNode::Kind::map) {
      add(task.value.position, concat("tasks.", task.key, ": ", describe(task.value), " is not a map of keys"));
      return;
    }
    for (const YamlNode::Entry& entry : task.value.entries) {
      if (entry.key != "kind") continue;
      try {
        const std::string& kind = read_text(entry.value);
        if (kind == "sts") return tasks.push_back({task.key, read_keys(task, StsTaskSettings{})});
        if (kind == "geometry") return tasks.push_back({task.key, read_keys(task, GeometryTaskSettings{})});
        add(entry.value.position, concat("tasks.", task.key, ".kind: ", quoted(kind), " is not known",
                                         nearest_name(kind, {"sts", "geometry"}), "; there are sts and geometry"));
      } catch (const ValueProblem& problem) {
        add(problem.position, concat("tasks.", task.key, ".kind: ", problem.problem));
      }
      return;
    }
    add(task.position, concat("tasks.", task.key, ".kind is missing: add sts or geometry"));
  }

  template <typename Settings>
  Settings read_keys(const YamlNode::Entry& task, Settings settings) {
    bool has_files = false;
    for (const YamlNode::Entry& entry : task.value.entries) {
      if (entry.key == "kind") continue;
      has_files = has_files || entry.key == "files";
      read_key(task.key, entry, settings);
    }
    if (!has_files) add(task.position, concat("tasks.", task.key, ".files is missing: add a path or a list of paths"));
    return settings;
  }

  template <typename Settings>
  void read_key(const std::string& task, const YamlNode::Entry& entry, Settings& settings) {
    std::vector<std::string> known{"kind"};
    for (const Key<Settings>& key : keys_of(settings)) {
      known.push_back(key.name);
      if (key.name != entry.key) continue;
      try {
        key.read(entry.value, base_folder_, settings);
      } catch (const ValueProblem& problem) {
        add(problem.position, concat("tasks.", task, ".", key.name, ": ", problem.problem));
      }
      return;
    }
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    add(entry.position, concat("the key ", quoted(concat("tasks.", task, ".", entry.key)), " is not known",
                               nearest_name(entry.key, known), "; known here: ", names));
  }

  const std::filesystem::path& base_folder_;
  ProblemList& problems_;
};

}  // namespace

std::vector<TaskSettings> parse_tasks(std::string_view yaml, std::string_view source,
                                      const std::filesystem::path& base_folder) {
  const YamlNode root = parse_yaml_document(yaml, std::make_shared<const std::string>(source));
  if (root.kind != YamlNode::Kind::map)
    throw InputError(concat(source, ": holds ", describe(root), ", not a map with the key tasks"));
  ProblemList problems;
  const std::filesystem::path absolute_folder = std::filesystem::absolute(base_folder);
  std::vector<TaskSettings> tasks = TaskReader(absolute_folder, problems).read(root);
  problems.throw_if_any();
  return tasks;
}

std::vector<TaskSettings> read_task_file(const std::filesystem::path& path) {
  return parse_tasks(read_whole_file(path, max_yaml_bytes), path.string(),
                     std::filesystem::absolute(path).parent_path());
}

}  // namespace gausscse
