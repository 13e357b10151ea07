#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/yaml_node.hpp"

namespace YAML {
class Emitter;
}

namespace gausscse {

/// Surroundings that the reading of a key may need besides its value.
struct KeyContext {
  const std::filesystem::path& base_folder;  ///< folder that relative paths start from
  ProblemList& problems;                     ///< for a key that holds many values
};

/// Effect of another value of a key on a record. `result`: on its metrics; `speed`: on the time, memory and disk that
/// it takes; `place`: on neither, as of folders and the times at which files are kept.
enum class Effect { result_and_speed, result, speed, place };

inline bool changes_result(Effect effect) {
  return effect == Effect::result_and_speed || effect == Effect::result;
}
inline bool changes_speed(Effect effect) {
  return effect == Effect::result_and_speed || effect == Effect::speed;
}

/// One key of a YAML file that describes a `Record`: all that reading, printing, overriding and documenting it need.
template <typename Record>
struct Key {
  /// Full name, such as "model.backbone.path".
  std::string name;
  /// Values that may be given, for messages and the reference: "an integer from 1 to 100".
  std::string allowed;
  /// One line on its meaning.
  std::string meaning;
  /// A record without it is refused.
  bool required = false;
  /// Stores the node's value. Throws ValueProblem where it is of the wrong type or out of range.
  std::function<void(const YamlNode& node, const KeyContext& context, Record& record)> read;
  /// Returns whether the record has a value to print.
  std::function<bool(const Record& record)> is_set = [](const Record&) { return true; };
  std::function<void(const Record& record, YAML::Emitter& out)> write;
  /// Gives `to` the value that `from` has. Keys that are made by hand may lack it.
  std::function<void(const Record& from, Record& to)> copy = {};
  /// Effect in such a record. A new key is taken to change everything until it says less, see `affects`.
  std::function<Effect(const Record& record)> effect = [](const Record&) { return Effect::result_and_speed; };
  /// True if a run that continues an earlier one may have another value than that.
  bool may_change = false;
  /// Returns whether the key affects such a record; it may not be given, and is not printed, where it does not.
  std::function<bool(const Record& record)> applies = [](const Record&) { return true; };
  /// Condition under which it applies, for messages: "objective.kind gaussian_contrastive".
  std::string goes_with = {};
  /// True if it is a map under names of the user's, whose parts are set one by one: `tasks.NAME.KEY`.
  bool holds_names = false;

  /// Returns "model.backbone" of "model.backbone.path"; empty for a key of the top level.
  std::string section() const {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(0, dot);
  }
  /// Returns "path" of "model.backbone.path".
  std::string word() const { return name.substr(name.rfind('.') + 1); }
};

/// The keys of a file, in the order in which they are printed. Keys of a section are neighbours.
template <typename Record>
using Keys = std::vector<Key<Record>>;

/// Returns a key of a part as one of the whole; `part(whole)` is a reference to the part, as constant as the whole.
///
///     key_of_part<TaskSettings>(key, [](auto& task) -> auto& { return task.measured; })
template <typename Whole, typename Part, typename Find>
Key<Whole> key_of_part(const Key<Part>& key, const Find& part) {
  return {.name = key.name,
          .allowed = key.allowed,
          .meaning = key.meaning,
          .required = key.required,
          .read = [=](const YamlNode& node, const KeyContext& context,
                      Whole& whole) { key.read(node, context, part(whole)); },
          .is_set = [=](const Whole& whole) { return key.is_set(part(whole)); },
          .write = [=](const Whole& whole, YAML::Emitter& out) { key.write(part(whole), out); },
          .copy = [=](const Whole& from, Whole& to) { key.copy(part(from), part(to)); },
          .effect = [=](const Whole& whole) { return key.effect(part(whole)); },
          .may_change = key.may_change,
          .applies = [=](const Whole& whole) { return key.applies(part(whole)); },
          .goes_with = key.goes_with,
          .holds_names = key.holds_names};
}

/// Returns `record` with the value of a new record in every key whose effect there is not one that `counts`.
template <typename Record>
Record without_effects(const Keys<Record>& keys, const Record& record, bool (*counts)(Effect)) {
  const Record fresh = {};
  Record changed = record;
  for (const Key<Record>& key : keys)
    if (!counts(key.effect(record))) key.copy(fresh, changed);
  return changed;
}

/// Returns whether `name` reaches into one of the keys that hold names: "tasks.dev.eval_every".
template <typename Record>
bool is_part_of_map(const Keys<Record>& keys, std::string_view name) {
  for (const Key<Record>& key : keys)
    if (key.holds_names && name.starts_with(key.name + ".")) return true;
  return false;
}

/// Returns whether `name` holds its own keys.
template <typename Record>
bool is_section(const Keys<Record>& keys, std::string_view name) {
  if (name.empty()) return false;
  for (const Key<Record>& key : keys)
    if (key.name.size() > name.size() && key.name.starts_with(name) && key.name[name.size()] == '.') return true;
  return false;
}

}  // namespace gausscse
