#include "experiments/manifest/axis_values.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "config/schema/yaml_node.hpp"

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

const Axis* find_axis(const std::vector<Axis>& axes, std::string_view name) {
  for (const Axis& axis : axes)
    if (axis.name == name) return &axis;
  return nullptr;
}

const Axis::Value* find_value(const Axis& axis, std::string_view label) {
  for (const Axis::Value& value : axis.values)
    if (value.label == label) return &value;
  return nullptr;
}

std::vector<std::string> names_of(const std::vector<Axis>& axes) {
  std::vector<std::string> axis_names;
  for (const Axis& axis : axes) axis_names.push_back(axis.name);
  return axis_names;
}

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Axis::Value& value : axis.values) labels.push_back(value.label);
  return labels;
}

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
  const Axis* axis = find_axis(named, name);
  if (!axis) return value_of_key(name, label);
  if (const Axis::Value* value = find_value(*axis, text)) return *value;
  throw ValueProblem{label.position,
                     concat(describe(label), " is no label of axes.", name, nearest_name(text, labels_of(*axis)))};
}

}  // namespace gausscse
