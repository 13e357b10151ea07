#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "config/schema/key.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Returns a key that keeps its map, or list, of YAML as it is, to be understood later.
template <typename Record>
Key<Record> kept_node(const std::string& name, key_kinds::Field<Record, YamlNode> field, YamlNode::Kind kind,
                      const std::string& allowed, const std::string& meaning) {
  return {.name = name,
          .allowed = allowed,
          .meaning = meaning,
          .read =
              [=](const YamlNode& node, const KeyContext&, Record& record) {
                if (node.kind != kind) throw ValueProblem{node.position, describe(node) + " is not " + allowed};
                field.get(record) = node;
              },
          .is_set = [](const Record&) { return false; },
          .write = {}};
}

}  // namespace gausscse
