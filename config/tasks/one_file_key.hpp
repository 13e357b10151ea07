#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/schema/key_kinds.hpp"

namespace gausscse::key_kinds {

/// Returns the key `files` of tasks that take one path, alone or as a list of one. `what` is what lies there.
template <typename Record>
Key<Record> one_file(const Field<Record, std::filesystem::path>& field, const std::string& meaning,
                     const std::string& what = "file") {
  Key<Record> key = path("files", field, meaning);
  key.allowed = "a path, or a list of one";
  key.read = [=](const YamlNode& node, const KeyContext& context, Record& record) {
    const std::vector<std::filesystem::path> files = read_paths(node, context.base_folder);
    if (files.size() != 1) throw ValueProblem{node.position, concat("a task of this kind takes one ", what)};
    field.get(record) = files.front();
  };
  return required(key);
}

}  // namespace gausscse::key_kinds
