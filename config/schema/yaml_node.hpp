#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// Where a piece of a document was written. Lines and columns count from 1; line 0 means that the source is all there
/// is to say (an override on the command line).
struct YamlPosition {
  std::shared_ptr<const std::string> source;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Returns `source:line:column`, or the source alone.
std::string to_string(const YamlPosition& position);

/// A value of a YAML document, with its place. No aliases, no tags; a map's keys are distinct texts.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  struct Entry;

  Kind kind = Kind::null;
  YamlPosition position;
  /// Text of a scalar.
  std::string text;
  /// True for a scalar in quotes (or a block scalar): it is text, even if it looks like a number.
  bool quoted = false;
  /// Items of a sequence.
  std::vector<YamlNode> items;
  /// Entries of a map, in the order of the document.
  std::vector<Entry> entries;
};

struct YamlNode::Entry {
  std::string key;
  YamlPosition position;
  YamlNode value;
};

/// Returns the entry of a map, nullptr where there is none.
inline const YamlNode::Entry* find_entry(const YamlNode& map, std::string_view key) {
  for (const YamlNode::Entry& entry : map.entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

}  // namespace gausscse
