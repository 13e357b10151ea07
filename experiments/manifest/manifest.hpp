#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/manifest_choices.hpp"
#include "experiments/manifest/table_settings.hpp"

namespace gausscse {

/// An axis of a grid: a trial's key with its values, or a name of the user's with sets of keys.
struct Axis {
  struct Value {
    std::string label;  ///< as written
    YamlNode settings;  ///< a map of trial keys, with their places
  };

  std::string name;
  YamlPosition position;
  std::vector<Value> values;
};

/// Choice by which a stage takes the best point of an earlier one.
struct BestOf {
  std::string stage;
  std::string figure;  ///< "TASK.METRIC" of the kept state, mean over seeds; the highest wins, of equals the first
  std::vector<std::string> within;  ///< axes of both stages: the choice is made for each combination of their labels
  setting::FailedTrials failed = setting::FailedTrials::block;
  YamlPosition position;
};

/// A part of a study whose trials do not wait for each other.
struct Stage {
  std::string name;
  YamlPosition position;
  std::vector<Axis> grid;
  /// Combinations of values, one on each axis of the grid: all but what is excluded, the last axis running fastest,
  /// then what is included, whose values need not be those of the grid.
  std::vector<std::vector<Axis::Value>> points;
  std::vector<std::int64_t> seeds;
  std::optional<BestOf> best_of;
};

/// Resources that a trial takes of the machine, and the way to start it.
struct Resources {
  setting::Launcher launcher = setting::Launcher::none;
  std::int64_t ranks = 1;
  std::int64_t threads = 1;  ///< threads of a rank
  bool gpus = false;         ///< true if each rank takes a GPU
  std::vector<std::string> launcher_arguments;
};

/// A study, as its manifest says it; docs/studies.md has the keys. Values lie in the ranges given there.
struct Manifest {
  std::string name;
  std::string title;
  bool keep_models = true;
  YamlNode defaults;  ///< a map of trial keys
  std::vector<Stage> stages;
  Resources resources;
  std::vector<TableSettings> tables;

  std::filesystem::path base_folder;  ///< folder that relative paths of trials start from; absolute
  std::string text;                   ///< text that it was read from
};

/// Reads a manifest. `source` names the text in messages. Throws InputError that lists every problem found, each with
/// its place. The trials themselves are not looked at: see plan_study.
Manifest parse_manifest(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder);
Manifest read_manifest(const std::filesystem::path& path, Links links = Links::followed);

/// Returns null where there is none of this name.
const Stage* find_stage(const Manifest& manifest, std::string_view name);

}  // namespace gausscse
