#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <string>
#include <vector>

#include "experiments/schema/key.hpp"

namespace gausscse {

/// The keys whose value in `record` is not that in `defaults`. Maps of names have no default and are left out.
template <typename Record>
Keys<Record> keys_that_differ(const Keys<Record>& keys, const Record& record, const Record& defaults) {
  const auto text_of = [](const Key<Record>& key, const Record& each) {
    YAML::Emitter out;
    if (key.is_set(each)) key.write(each, out);
    return std::string(out.c_str());
  };
  Keys<Record> differing;
  for (const Key<Record>& key : keys)
    if (!key.holds_names && text_of(key, record) != text_of(key, defaults)) differing.push_back(key);
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

}  // namespace gausscse
