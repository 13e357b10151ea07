#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// Place where a piece of a document was written. Lines and columns count from 1; line 0 means that the source is all
/// there is to say (an override on the command line).
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

/// A value that does not fit its key. `problem` says how, starting with the value.
struct ValueProblem {
  YamlPosition position;
  std::string problem;
};

/// Returns the value for messages: quoted text, or the kind of the value.
std::string describe(const YamlNode& node);

/// Returns the integer that a node holds. All readings here are typed and throw ValueProblem where the node holds
/// something else; there is no conversion: 1.0 is no integer, and a quoted number is text.
std::int64_t read_integer(const YamlNode& node);
/// Returns a finite number.
double read_number(const YamlNode& node);
bool read_bool(const YamlNode& node);
/// Returns any scalar, without NUL.
const std::string& read_text(const YamlNode& node);

/// List of all problems of an input, so that a user sees them at once.
class ProblemList {
 public:
  /// Makes an empty list; `of_part`: of a record of which only a part is known, so that no key is missing and no rule
  /// between keys is broken.
  explicit ProblemList(bool of_part = false) : of_part_(of_part) {}

  /// Adds a problem, or those of another list, if they are not there already.
  void add(const std::string& problem);
  void add(const ProblemList& others);
  bool of_part() const { return of_part_; }
  bool empty() const { return all_.empty(); }

  /// Throws InputError with a problem a line, at most 20 and the number of the others, if there is any.
  void throw_if_any() const;

 private:
  bool of_part_;
  std::vector<std::string> shown_;
  std::set<std::string> all_;
};

/// Puts `value` at the full name `name` ("a.b.c") as if it were written in `root`, which must be a map. It takes the
/// place of an earlier value; missing maps are made on the way. `position` is where the name was written. Throws
/// InputError, beginning with the position, where something on the way is no map, or the name has more parts than a
/// document has levels.
void set_value(YamlNode& root, std::string_view name, const YamlPosition& position, YamlNode value);

/// Puts every entry of the map `over` over those of the map `under`: maps are merged, everything else replaced. Keys
/// may have dots, "training.epochs: 3" then means "training: {epochs: 3}". Throws as `set_value`.
void merge_over(YamlNode& under, const YamlNode& over);

}  // namespace gausscse
