#pragma once

#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/manifest.hpp"

namespace gausscse {

/// Reads the manifest's `axes`: named axes, each with all its labels. Problems are added to the context's.
std::vector<Axis> read_named_axes(const YamlNode& map, const KeyContext& context);

/// Reads the `grid` of a stage: keys of trials with lists of values, and names among `named` with lists of labels or
/// the word all. `prefix` stands before the axes in messages: "stages.choose.grid.".
std::vector<Axis> read_grid(const YamlNode& map, const std::vector<Axis>& named, const std::string& prefix,
                            const KeyContext& context);

}  // namespace gausscse
