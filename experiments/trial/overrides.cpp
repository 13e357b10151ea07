#include "experiments/trial/overrides.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "experiments/trial/trial_keys.hpp"
#include "experiments/trial/yaml_document.hpp"

namespace gausscse {

namespace {

/// The entry `key` of `map`, added where there is none.
YamlNode::Entry& entry_of(YamlNode& map, std::string_view key, const YamlPosition& position) {
  for (YamlNode::Entry& entry : map.entries) {
    if (entry.key == key) return entry;
  }
  map.entries.push_back({std::string(key), position, {}});
  map.entries.back().value.position = position;
  return map.entries.back();
}

void apply(const std::string& override_text, YamlNode& root) {
  const auto source = std::make_shared<const std::string>("--set " + quoted(override_text, 200));
  const YamlPosition position{source, 0, 0};
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(concat(*source, ": is not of the form key=value, such as training.epochs=3"));
  }
  const std::string_view name = std::string_view(override_text).substr(0, equals);
  if (static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')) >= max_yaml_depth) {
    throw InputError(concat(*source, ": no key has so many parts"));
  }
  if (is_section(trial_keys(), name) ||
      name == "tasks") {  // replacing a section would silently drop the file's other keys in it
    throw InputError(concat(*source, ": ", quoted(name), " is a section: set its keys one by one"));
  }
  YamlNode value = parse_yaml_document(std::string_view(override_text).substr(equals + 1), source, false);
  value.position = position;

  YamlNode* node = &root;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = name.find('.', begin);
    const std::string_view word = name.substr(begin, dot == std::string_view::npos ? dot : dot - begin);
    YamlNode::Entry& entry = entry_of(*node, word, position);
    if (dot == std::string_view::npos) {
      entry.position = position;
      entry.value = std::move(value);
      return;
    }
    if (entry.value.kind == YamlNode::Kind::null) entry.value.kind = YamlNode::Kind::map;
    if (entry.value.kind != YamlNode::Kind::map) {
      throw InputError(concat(*source, ": ", quoted(name.substr(0, dot)), " has no keys of its own"));
    }
    node = &entry.value;
    begin = dot + 1;
  }
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, YamlNode& root, ProblemList& problems) {
  for (const std::string& override_text : overrides) {
    try {
      apply(override_text, root);
    } catch (const InputError& error) {
      problems.add(error.what());
    }
  }
}

}  // namespace gausscse
