#include "config/trial/trial_changes.hpp"

#include <yaml-cpp/emitter.h>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "config/trial/trial_identity.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

constexpr std::size_t longest_value = 60;

/// Returns a key's value on one line, or nothing where it has none.
std::string value_text_of(const Key<Trial>& key, const Trial& trial) {
  YAML::Emitter out;
  if (key.is_set(trial)) key.write(trial, out);
  return out.c_str();
}

/// Returns "20, now 40"; "changed" for values of several lines, such as tasks.
std::string change_text(const std::string& before, const std::string& after) {
  for (const std::string* value : {&before, &after})
    if (value->find('\n') != std::string::npos || value->size() > longest_value) return "changed";
  return concat(before.empty() ? "none" : before, ", now ", after.empty() ? "none" : after);
}

}  // namespace

std::vector<std::string> changeable_keys(const Trial& earlier) {
  std::vector<std::string> names;
  for (const Key<Trial>& key : trial_keys())
    if (key.may_change || !changes_result(key.effect(earlier))) names.push_back(key.name);
  return names;
}

std::vector<std::string> changes_between(const Trial& earlier, const Trial& trial) {
  const Trial before = canonical_trial(earlier), after = canonical_trial(trial);
  std::vector<std::string> changes, refused;
  for (const Key<Trial>& key : trial_keys()) {
    const std::string old_value = value_text_of(key, before), new_value = value_text_of(key, after);
    if (old_value == new_value) continue;
    (key.may_change ? changes : refused).push_back(concat(key.name, ": ", change_text(old_value, new_value)));
  }
  if (!refused.empty())
    throw InputError(concat("a run that continues another may not change ", joined(refused, "; "),
                            ": give the earlier value, or begin a new run from the weights (model.backbone.path); ",
                            "these keys may change: ", joined(changeable_keys(earlier))));
  return changes;
}

std::set<std::string> tasks_in_common(const Trial& earlier, const Trial& trial,
                                      const std::function<bool(const std::string& task)>& has_same_files) {
  const Trial before = canonical_trial(earlier), after = canonical_trial(trial);
  std::set<std::string> common;
  for (TaskSettings task : after.tasks)
    for (const TaskSettings& old : before.tasks) {
      task.eval_every = old.eval_every;
      if (task == old && has_same_files(task.name)) common.insert(task.name);
    }
  for (const TaskSettings& task : after.tasks)
    if (const std::string from = threshold_task_of(task); !from.empty() && !common.contains(from))
      common.erase(task.name);
  return common;
}

}  // namespace gausscse
