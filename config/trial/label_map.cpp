#include "config/trial/label_map.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/tasks/nli_scoring.hpp"

namespace gausscse {

namespace {

bool is_turned(const YamlNode::Entry& entry) {
  return !is_among(gold_label_names, entry.key) && entry.value.kind == YamlNode::Kind::scalar &&
         (is_among(gold_label_names, entry.value.text) || entry.value.text == "none");
}

void turn(YamlNode& labels, const std::string& name, ProblemList& problems) {
  YamlNode by_name = labels;
  by_name.entries.clear();
  for (const YamlNode::Entry& entry : labels.entries) {
    const std::string& label = entry.value.text;
    if (const YamlNode::Entry* known = find_entry(by_name, label))
      problems.add(concat(to_string(entry.position), ": ", name, ".labels: ", quoted(known->value.text), " and ",
                          quoted(entry.key), " both mean ", label, ": give each label one value"));
    YamlNode value = entry.value;
    value.position = entry.position;
    value.text = entry.key;
    by_name.entries.push_back({label, entry.value.position, std::move(value)});
  }
  labels = std::move(by_name);
}

}  // namespace

YamlNode with_labels_by_name(YamlNode section, const std::string& name, ProblemList& problems) {
  for (YamlNode::Entry& labels : section.entries)
    if (labels.key == "labels" && std::all_of(labels.value.entries.begin(), labels.value.entries.end(), is_turned))
      turn(labels.value, name, problems);
  return section;
}

}  // namespace gausscse
