#pragma once

#include <string>
#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/manifest_draft.hpp"

namespace gausscse {

/// Returns the points of a stage with this grid: see Stage::points. Problems of `include` and `exclude` are added to
/// the context's: an axis or label that is none, an exclusion that no point fits, a point that is there already.
/// `prefix` stands before their names in messages: "stages.choose.".
std::vector<std::vector<Axis::Value>> read_points(const StageDraft& draft, const std::vector<Axis>& grid,
                                                  const std::vector<Axis>& named, const std::string& prefix,
                                                  const KeyContext& context);

}  // namespace gausscse
