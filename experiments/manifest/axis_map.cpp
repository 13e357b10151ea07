#include "experiments/manifest/axis_map.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/yaml_node.hpp"
#include "config/trial/trial_keys.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

constexpr std::size_t longest_label = 200;

Axis::Value value_of_key(const std::string& key, const YamlNode& value) {
  YamlNode settings;
  settings.kind = YamlNode::Kind::map;
  settings.position = value.position;
  settings.entries.push_back({key, value.position, value});
  return {read_label(value), settings};
}

}  // namespace

const std::string& read_label(const YamlNode& node) {
  const std::string& label = read_text(node);
  const bool plain =
      std::none_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (label.empty() || label.size() > longest_label || !plain)
    throw ValueProblem{node.position, concat(describe(node), " is not a label of 1 to ", longest_label,
                                             " bytes without line breaks and control characters")};
  return label;
}

Axis::Value value_on(const std::string& name, const std::vector<Axis>& named, const YamlNode& label) {
  const std::string& text = read_label(label);
  const Axis* axis = find_by(named, &Axis::name, name);
  if (!axis) return value_of_key(name, label);
  if (const Axis::Value* value = find_by(axis->values, &Axis::Value::label, text)) return *value;
  throw ValueProblem{label.position, concat(describe(label), " is no label of axes.", name,
                                            nearest_name(text, members_of(axis->values, &Axis::Value::label)))};
}

namespace {

void add(const KeyContext& context, const YamlPosition& position, const std::string& problem) {
  context.problems.add(concat(to_string(position), ": ", problem));
}

/// Returns whether a name is a key of trials. Keys of tasks and of an objective's terms are known only where the trial
/// is read.
bool is_trial_key(std::string_view name) {
  return is_part_of_map(trial_keys(), name) || find_by(trial_keys(), &Key<Trial>::name, name);
}

Axis read_named_axis(const YamlNode::Entry& entry, const KeyContext& context) {
  Axis axis{entry.key, entry.position, {}};
  if (!is_test_name(entry.key) || is_trial_key(entry.key) || is_section(trial_keys(), entry.key))
    add(context, entry.position,
        concat("the name of an axis, ", quoted(entry.key),
               ", is a key of trials or not 1 to 64 letters, digits, dashes and underscores: "
               "choose another"));
  if (entry.value.kind != YamlNode::Kind::map || entry.value.entries.empty()) {
    add(context, entry.value.position,
        concat("axes.", entry.key, ": ", describe(entry.value), " is not a map from labels to keys of trials"));
    return axis;
  }
  for (const YamlNode::Entry& value : entry.value.entries) {
    YamlNode settings = value.value;
    if (settings.kind == YamlNode::Kind::null) settings.kind = YamlNode::Kind::map;
    if (settings.kind != YamlNode::Kind::map)
      add(context, settings.position,
          concat("axes.", entry.key, ".", value.key, ": ", describe(settings), " is not a map of keys of trials"));
    axis.values.push_back({value.key, settings});
  }
  return axis;
}

bool is_all(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.quoted && node.text == "all";
}

Axis read_axis(const YamlNode::Entry& entry, const std::vector<Axis>& named) {
  Axis axis{entry.key, entry.position, {}};
  const Axis* of_name = find_by(named, &Axis::name, entry.key);
  if (!of_name && !is_trial_key(entry.key)) {
    std::vector<std::string> known = members_of(named, &Axis::name);
    for (const Key<Trial>& key : trial_keys()) known.push_back(key.name);
    throw ValueProblem{entry.position, concat(quoted(entry.key), " is neither one of `axes` nor a key of trials",
                                              nearest_name(entry.key, known))};
  }
  if (entry.key == "training.seed") throw ValueProblem{entry.position, "training.seed is no axis: give `seeds`"};
  if (entry.key == "output") throw ValueProblem{entry.position, "output is no axis: each trial has its own folder"};
  if (of_name && is_all(entry.value)) {
    axis.values = of_name->values;
    return axis;
  }
  if (entry.value.kind == YamlNode::Kind::sequence && entry.value.items.empty())
    throw ValueProblem{entry.value.position, "the list is empty"};
  if (entry.value.kind != YamlNode::Kind::sequence)
    throw ValueProblem{entry.value.position, concat(describe(entry.value), " is not a list of ",
                                                    of_name ? "labels, or the word all" : "values")};
  for (const YamlNode& item : entry.value.items) {
    Axis::Value value = value_on(axis.name, named, item);
    if (find_by(axis.values, &Axis::Value::label, value.label))
      throw ValueProblem{item.position, concat(describe(item), " is there twice")};
    axis.values.push_back(std::move(value));
  }
  return axis;
}

}  // namespace

std::vector<Axis> read_named_axes(const YamlNode& map, const KeyContext& context) {
  std::vector<Axis> axes;
  for (const YamlNode::Entry& entry : map.entries) axes.push_back(read_named_axis(entry, context));
  return axes;
}

std::vector<Axis> read_grid(const YamlNode& map, const std::vector<Axis>& named, const std::string& prefix,
                            const KeyContext& context) {
  std::vector<Axis> grid;
  for (const YamlNode::Entry& entry : map.entries) {
    try {
      grid.push_back(read_axis(entry, named));
    } catch (const ValueProblem& problem) {
      add(context, problem.position, concat(prefix, entry.key, ": ", problem.problem));
    }
  }
  return grid;
}

}  // namespace gausscse
