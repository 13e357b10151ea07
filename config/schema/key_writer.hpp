#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/schema/key.hpp"

namespace gausscse {

/// Returns the text of each key's value, empty where the record has none to print. Maps of names have no default to be
/// compared with and are left empty.
template <typename Record>
std::vector<std::string> value_texts(const Keys<Record>& keys, const Record& record) {
  std::vector<std::string> texts;
  for (const Key<Record>& key : keys) {
    YAML::Emitter out;
    if (!key.holds_names && key.is_set(record)) key.write(record, out);
    texts.emplace_back(out.c_str());
  }
  return texts;
}

/// Returns the keys whose value in `record` is not that in a record of these texts.
template <typename Record>
Keys<Record> keys_that_differ(const Keys<Record>& keys, const Record& record, const std::vector<std::string>& texts) {
  const std::vector<std::string> own = value_texts(keys, record);
  Keys<Record> differing;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (own[i] != texts[i]) differing.push_back(keys[i]);
  return differing;
}

/// Writes a record as a map of all its keys that apply and have a value; sections become maps in it.
template <typename Record>
void write_keys(const Keys<Record>& keys, const Record& record, YAML::Emitter& out) {
  std::vector<std::string> open;  // the sections around the present place, outermost first
  out << YAML::BeginMap;
  for (const Key<Record>& key : keys) {
    if (!key.applies(record) || !key.is_set(record)) continue;
    const std::string section = key.section();
    while (!open.empty() && section != open.back() && !section.starts_with(open.back() + ".")) {
      out << YAML::EndMap;
      open.pop_back();
    }
    while (open.empty() ? !section.empty() : section != open.back()) {
      const std::size_t begin = open.empty() ? 0 : open.back().size() + 1;
      const std::size_t end = section.find('.', begin);
      open.push_back(section.substr(0, end));
      out << YAML::Key << section.substr(begin, end == std::string::npos ? end : end - begin) << YAML::Value
          << YAML::BeginMap;
    }
    out << YAML::Key << key.word() << YAML::Value;
    key.write(record, out);
  }
  for (std::size_t i = 0; i < open.size(); ++i) out << YAML::EndMap;
  out << YAML::EndMap;
}

/// A Markdown table of keys: this, and a row for each.
inline constexpr const char* reference_header = "| key | allowed | default | meaning |\n|---|---|---|---|\n";

/// Returns the value that a record with all defaults has.
template <typename Record>
std::string default_of(const Key<Record>& key, const Record& defaults) {
  if (key.required) return "required";
  if (!key.is_set(defaults)) return "none";
  YAML::Emitter out;
  key.write(defaults, out);
  return concat("`", out.c_str(), "`");
}

/// Name, values, meaning and default of one key, for people.
struct KeyDescription {
  std::string name, allowed;
  std::string value;  ///< the default, as Markdown
  std::string meaning;
};

template <typename Record>
KeyDescription describe(const Key<Record>& key, const std::string& name, const std::string& value) {
  return {name, key.allowed, value,
          concat(key.meaning, key.goes_with.empty() ? "" : concat(" With ", key.goes_with, "."))};
}

inline std::string reference_row(const KeyDescription& key) {
  return concat("| `", key.name, "` | ", key.allowed, " | ", key.value, " | ", key.meaning, " |\n");
}

template <typename Record>
std::string reference_row(const Key<Record>& key, const std::string& name, const std::string& value) {
  return reference_row(describe(key, name, value));
}

}  // namespace gausscse
