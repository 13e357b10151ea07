#include "config/schema/yaml_edit.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "config/schema/yaml_document.hpp"

namespace gausscse {

namespace {

/// Returns the entry `key` of `map`, added where there is none.
YamlNode::Entry& entry_of(YamlNode& map, std::string_view key, const YamlPosition& position) {
  for (YamlNode::Entry& entry : map.entries)
    if (entry.key == key) return entry;
  map.entries.push_back({std::string(key), position, {}});
  map.entries.back().value.position = position;
  return map.entries.back();
}

/// Returns the entry with the full name `name`, made with all maps on the way where there is none.
YamlNode::Entry& entry_at(YamlNode& root, std::string_view name, const YamlPosition& position) {
  if (static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')) >= max_yaml_depth)
    throw InputError(concat(to_string(position), ": the key has too many parts"));
  YamlNode* map = &root;
  for (std::size_t begin = 0;;) {
    const std::size_t dot = name.find('.', begin);
    YamlNode::Entry& entry = entry_of(*map, name.substr(begin, dot == name.npos ? dot : dot - begin), position);
    if (dot == name.npos) return entry;
    if (entry.value.kind == YamlNode::Kind::null) entry.value.kind = YamlNode::Kind::map;
    if (entry.value.kind != YamlNode::Kind::map)
      throw InputError(concat(to_string(position), ": ", quoted(name.substr(0, dot)), " is a value and has no keys"));
    map = &entry.value;
    begin = dot + 1;
  }
}

void merge_entry(YamlNode& under, const std::string& name, const YamlPosition& position, const YamlNode& value) {
  YamlNode::Entry& entry = entry_at(under, name, position);
  if (value.kind == YamlNode::Kind::map && entry.value.kind == YamlNode::Kind::map) {
    merge_over(entry.value, value);
    return;
  }
  entry.position = position;
  // Names with dots in it are to be taken apart, too.
  if (value.kind == YamlNode::Kind::map) {
    entry.value = {};
    entry.value.kind = YamlNode::Kind::map;
    entry.value.position = value.position;
    merge_over(entry.value, value);
  } else {
    entry.value = value;
  }
}

}  // namespace

void set_value(YamlNode& root, std::string_view name, const YamlPosition& position, YamlNode value) {
  YamlNode::Entry& entry = entry_at(root, name, position);
  entry.position = position;
  entry.value = std::move(value);
}

void merge_over(YamlNode& under, const YamlNode& over) {
  for (const YamlNode::Entry& entry : over.entries) merge_entry(under, entry.key, entry.position, entry.value);
}

}  // namespace gausscse
