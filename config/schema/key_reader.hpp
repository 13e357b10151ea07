#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/schema/key.hpp"
#include "config/schema/key_aliases.hpp"
#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Reader of a record from a map of YAML, by its keys. Each problem is added to the context's problems, with its place,
/// the key's full name, the value and the allowed values.
template <typename Record>
class KeyReader {
 public:
  /// Makes a reader. `prefix` stands before the keys' names in messages: "tasks.dev.".
  KeyReader(const Keys<Record>& keys, const KeyContext& context, std::string prefix = "")
      : keys_(keys), context_(context), prefix_(std::move(prefix)) {}

  /// Reads one key of the top level alone, if it is there.
  void read_alone(const YamlNode& root, std::string_view name, Record& record) {
    for (const YamlNode::Entry& entry : root.entries)
      if (entry.key == name) read_entry(entry, entry.key, record);
  }

  void read_all(const YamlNode& root, Record& record) {
    read_section(root, "", record);
    for (const Key<Record>& key : keys_)
      if (key.required && !context_.problems.of_part() && !seen_.contains(key.name))
        add(root.position, concat(prefix_, key.name, " is missing: add it (", key.allowed, "): ", key.meaning));
    // The condition that a key goes with is known only where all other keys are right.
    if (!context_.problems.empty() || context_.problems.of_part()) return;
    for (const Key<Record>& key : keys_)
      if (const auto found = seen_.find(key.name); found != seen_.end() && !key.applies(record))
        add(found->second,
            concat(prefix_, key.name, ": goes with ", key.goes_with, " only: remove it, or change that"));
  }

 private:
  void add(const YamlPosition& position, const std::string& problem) {
    context_.problems.add(concat(to_string(position), ": ", problem));
  }

  /// Reads the keys of `map`, whose own full name is `section`.
  void read_section(const YamlNode& map, const std::string& section, Record& record) {
    for (const YamlNode::Entry& entry : map.entries) {
      const std::string name = section.empty() ? entry.key : concat(section, ".", entry.key);
      // A dot within a word would otherwise name a key of another section.
      const bool plain = entry.key.find('.') == std::string::npos;
      if (!plain || !is_section(keys_, name)) {
        read_entry(entry, plain ? name : "", record, name);
      } else if (entry.value.kind == YamlNode::Kind::map) {
        read_section(entry.value, name, record);
      } else if (entry.value.kind != YamlNode::Kind::null) {
        add(entry.value.position, concat(prefix_, name, ": ", describe(entry.value),
                                         " is not a map of keys; allowed: ", words_of_section(name)));
      }
    }
  }

  void read_entry(const YamlNode::Entry& entry, const std::string& name, Record& record,
                  const std::string& shown = {}) {
    const Key<Record>* key = nullptr;
    for (const Key<Record>& candidate : keys_)
      if (candidate.name == name) key = &candidate;
    if (!key) {
      const std::string& printed = shown.empty() ? name : shown;
      add(entry.position,
          concat("the key ", quoted(prefix_ + printed), " is not known", suggestion(entry.key, printed)));
      return;
    }
    seen_.emplace(name, entry.position);
    try {
      key->read(entry.value, context_, record);
    } catch (const ValueProblem& problem) {
      add(problem.position, concat(prefix_, name, ": ", problem.problem, " (allowed: ", key->allowed, ")"));
    }
  }

  /// Returns the first of these that exists. They are the key that other programs call so, the nearest name next to it,
  /// the place of a key or section of that word, and the place of a key with nearly that word. Else returns the keys
  /// that are allowed there.
  std::string suggestion(const std::string& word, const std::string& name) const {
    if (const KeyAlias* other = other_word(word); other && is_known(std::string(other->key)))
      return concat(", here it is called \"", prefix_, other->key, "\"",
                    other->remark.empty() ? "" : concat(" (", other->remark, ")"));
    const std::string section = name.substr(0, name.size() - std::min(name.size(), word.size() + 1));
    // Words are compared, not names: their common beginning would make all of a section alike.
    if (std::string nearest = nearest_name(word, words_in(section)); !nearest.empty())
      return nearest.insert(nearest.find('"') + 1, section.empty() ? prefix_ : concat(prefix_, section, "."));
    for (const Key<Record>& key : keys_) {
      if (key.word() == word || key.name == word) return place_of(key);
      if (const std::size_t begin = concat(".", key.name).find(concat(".", word, ".")); begin != std::string::npos)
        return concat(", did you mean the section \"", prefix_, key.name.substr(0, begin + word.size()), "\"?");
    }
    // Short words are near to many.
    constexpr std::size_t shortest = 6;
    std::vector<std::string> words;
    for (const Key<Record>& key : keys_) words.push_back(key.word());
    const std::string nearest = word.size() < shortest ? "" : nearest_name(word, words);
    for (const Key<Record>& key : keys_)
      if (!nearest.empty() && nearest.find(concat('"', key.word(), '"')) != std::string::npos) return place_of(key);
    return concat("; known here: ", words_of_section(section));
  }

  std::string place_of(const Key<Record>& key) const {
    return concat(", did you mean \"", prefix_, key.name,
                  key.section().empty() ? std::string("\" at the top level?")
                                        : concat("\" (", key.word(), " in the section ", key.section(), ")?"));
  }

  /// Returns true for a key and for a section of keys.
  bool is_known(const std::string& name) const {
    for (const Key<Record>& key : keys_)
      if (key.name == name || key.name.starts_with(name + ".")) return true;
    return false;
  }

  /// Returns the keys and sections right in `section`, each once.
  std::vector<std::string> words_in(const std::string& section) const {
    std::vector<std::string> words;
    const std::string begin = section.empty() ? "" : section + ".";
    for (const Key<Record>& key : keys_) {
      if (!key.name.starts_with(begin)) continue;
      const std::string rest = key.name.substr(begin.size());
      const std::string word = rest.substr(0, rest.find('.'));
      if (words.empty() || words.back() != word) words.push_back(word);
    }
    return words;
  }

  std::string words_of_section(const std::string& section) const {
    std::string text;
    for (const std::string& word : words_in(section)) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  const Keys<Record>& keys_;
  KeyContext context_;
  std::string prefix_;
  std::map<std::string, YamlPosition> seen_;
};

}  // namespace gausscse
