#pragma once

#include <string>
#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/manifest.hpp"

namespace gausscse {

/// Returns the text of a label: it stands in tables, titles of trials and `--only AXIS=LABEL`. Throws ValueProblem for
/// one that is empty, overlong or has control characters.
const std::string& read_label(const YamlNode& node);

/// Returns the value on the axis `name` that is written as `label`: a label of the named axis, else a value of that
/// key. Throws ValueProblem where a named axis has no such label.
Axis::Value value_on(const std::string& name, const std::vector<Axis>& named, const YamlNode& label);

/// Reads the manifest's `axes`: named axes, each with all its labels. Problems are added to the context's.
std::vector<Axis> read_named_axes(const YamlNode& map, const KeyContext& context);

/// Reads the `grid` of a stage: keys of trials with lists of values, and names among `named` with lists of labels or
/// the word all. `prefix` stands before the axes in messages: "stages.choose.grid.".
std::vector<Axis> read_grid(const YamlNode& map, const std::vector<Axis>& named, const std::string& prefix,
                            const KeyContext& context);

}  // namespace gausscse
