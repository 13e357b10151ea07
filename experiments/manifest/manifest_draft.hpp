#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/manifest.hpp"

namespace gausscse {

/// A stage as it is written; what it says of axes can be understood only once all of these are known.
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
const Keys<TableFigure>& table_figure_keys();

inline constexpr const char* manifest_format = "gausscse-manifest/1";

}  // namespace gausscse
