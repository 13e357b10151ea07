#include "experiments/trial/trial_reference.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "experiments/schema/key_reference.hpp"
#include "experiments/trial/recipe_defaults.hpp"
#include "experiments/trial/task_keys.hpp"
#include "experiments/trial/trial_keys.hpp"

namespace gausscse {

namespace {

/// The released program's default, and which recipes have another.
std::string defaults_of_recipes(const Key<Trial>& key) {
  if (key.name == "recipe") return "`released`";
  const std::string released = default_of(key, recipe_defaults(setting::Recipe::released));
  std::vector<std::pair<std::string, std::string>> others;  // a default, and the recipes that have it
  for (const auto& [recipe, name] : names<setting::Recipe>) {
    const std::string value = default_of(key, recipe_defaults(recipe));
    if (value == released) continue;
    const auto same =
        std::find_if(others.begin(), others.end(), [&](const auto& other) { return other.first == value; });
    if (same == others.end())
      others.emplace_back(value, name);
    else
      same->second += concat(", ", name);
  }
  std::string text = released;
  for (const auto& [value, recipes] : others) text += concat("; ", recipes, ": ", value);
  return text;
}

std::string task_table(const TaskSettings& defaults) {
  std::string table = reference_header;
  for (const Key<TaskSettings>& key : task_keys(kind_of(defaults)))
    table +=
        reference_row(key, concat("tasks.NAME.", key.name),
                      key.name == "kind" ? concat("`", name_of(kind_of(defaults)), "`") : default_of(key, defaults));
  return table;
}

}  // namespace

std::string trial_reference() {
  std::string table = reference_header;
  for (const Key<Trial>& key : trial_keys()) table += reference_row(key, key.name, defaults_of_recipes(key));
  for (const TaskSettings& task :
       {TaskSettings{"", 0, NliTaskSettings{}}, TaskSettings{"", 0, StsTaskSettings{}},
        TaskSettings{"", 0, GeometryTaskSettings{}}, TaskSettings{"", 0, TransferTaskSettings{}}})
    table += "\n" + task_table(task);
  return table;
}

}  // namespace gausscse
