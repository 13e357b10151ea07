#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "config/schema/key.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/manifest.hpp"

namespace gausscse {

/// End of the message on a name that is none.
inline constexpr const char* no_name = " is not 1 to 64 letters, digits, dashes and underscores";

/// Returns the entries of a map, or the items of a list that has some. Throws ValueProblem where the node is no `what`.
const std::vector<YamlNode::Entry>& entries_of(const YamlNode& node, std::string_view what);
const std::vector<YamlNode>& items_of(const YamlNode& node, std::string_view what);

/// Returns a key that is read into a record by `read(node, context, record)` and not printed.
template <typename Record, typename Read>
Key<Record> only_read(const std::string& name, const std::string& allowed, const std::string& meaning, Read read) {
  return {.name = name,
          .allowed = allowed,
          .meaning = meaning,
          .read = read,
          .is_set = [](const Record&) { return false; },
          .write = {}};
}

/// Returns a key that keeps its map, or list, of YAML as it is, to be understood later.
template <typename Record>
Key<Record> kept_node(const std::string& name, key_kinds::Field<Record, YamlNode> field, YamlNode::Kind kind,
                      const std::string& allowed, const std::string& meaning) {
  return only_read<Record>(name, allowed, meaning, [=](const YamlNode& node, const KeyContext&, Record& record) {
    if (node.kind != kind) throw ValueProblem{node.position, describe(node) + " is not " + allowed};
    field.get(record) = node;
  });
}

/// A stage as it is written; its axes can be understood only once those of all stages are known.
struct StageDraft {
  std::vector<std::int64_t> seeds{0};
  BestOf best_of;
  YamlNode grid;              ///< a map; null: none
  YamlNode include, exclude;  ///< lists; null: none
};

/// A manifest likewise.
struct ManifestDraft {
  Manifest manifest;  ///< without its stages
  YamlNode axes;      ///< a map; null: none
  YamlNode stages;    ///< a map
};

/// Returns the keys of a manifest, of one of its stages, of one of its tables, and of a metric of a table.
const Keys<ManifestDraft>& manifest_keys();
const Keys<StageDraft>& stage_keys();
const Keys<TableSettings>& table_keys();
const Keys<TableMetric>& table_metric_keys();

inline constexpr const char* manifest_format = "gausscse-manifest/1";

/// Reads a map from names to tables, in its order. Problems are added to the context's; whether its axes and stage
/// exist is checked later.
std::vector<TableSettings> read_table_map(const YamlNode& node, const KeyContext& context);

}  // namespace gausscse
