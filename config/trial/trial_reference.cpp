#include "config/trial/trial_reference.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/schema/key_writer.hpp"
#include "config/trial/recipe_defaults.hpp"
#include "config/trial/term_map.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

/// Returns the released program's default, and which recipes have another.
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

using KeyDescriptions = std::vector<KeyDescription>;

KeyDescriptions keys_of_task(const TaskSettings& defaults) {
  KeyDescriptions keys;
  for (const Key<TaskSettings>& key : task_keys(kind_of(defaults)))
    keys.push_back(
        describe(key, concat("tasks.NAME.", key.name),
                 key.name == "kind" ? concat("`", name_of(kind_of(defaults)), "`") : default_of(key, defaults)));
  return keys;
}

/// Defaults are those of a term of its kind.
KeyDescriptions keys_of_term() {
  constexpr auto usual = ObjectiveKind::gaussian_contrastive;
  KeyDescriptions keys;
  for (const Key<ObjectiveTerm>& key : objective_term_keys()) {
    const std::string value = default_of(key, default_term(usual));
    std::string defaults = value;
    for (const auto& [kind, name] : names<ObjectiveKind>)
      if (const std::string own = default_of(key, default_term(kind)); own != value)
        defaults += concat("; ", name, ": ", own);
    keys.push_back(describe(key, concat("objective.terms.NAME.", key.name), defaults));
  }
  return keys;
}

/// Returns a list for the trial, for a term of a sum, and for each kind of task.
std::vector<KeyDescriptions> all_keys() {
  std::vector<KeyDescriptions> lists(1);
  for (const Key<Trial>& key : trial_keys()) lists[0].push_back(describe(key, key.name, defaults_of_recipes(key)));
  lists.push_back(keys_of_term());
  for (const auto& [kind, name] : names<setting::TaskKind>) lists.push_back(keys_of_task(default_task("", kind)));
  return lists;
}

}  // namespace

std::string trial_reference() {
  std::string text;
  for (const KeyDescriptions& keys : all_keys()) {
    text += concat(text.empty() ? "" : "\n", reference_header);
    for (const KeyDescription& key : keys) text += reference_row(key);
  }
  return text;
}

std::string trial_keys_text() {
  std::string text;
  for (const KeyDescriptions& keys : all_keys()) {
    if (!text.empty()) text += "\n";
    for (const KeyDescription& key : keys)
      text += concat(key.name, "\n    ", key.allowed, "; default: ", key.value, "\n    ", key.meaning, "\n");
  }
  // Marks of Markdown.
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  return text;
}

}  // namespace gausscse
