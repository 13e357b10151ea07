#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <string>

#include "base/error.hpp"
#include "config/schema/key.hpp"

namespace gausscse {

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
