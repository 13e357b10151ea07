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

/// Returns the stages of a manifest, in their order. Problems are added to the context's: a stage's keys, an axis that
/// is neither named nor a key of trials, a choice from a stage that does not stand before it.
std::vector<Stage> read_stages(const ManifestDraft& draft, const KeyContext& context);

/// Returns whether a name can be of an axis of the stage that cannot be read. It is the axis itself, or nearly its
/// name, or any where the stage of its choice is not known.
bool is_unread(const Stage& stage, const std::string& axis);

/// Returns the axes that trials of a stage are on: those of its grid, and those whose values it takes from earlier
/// stages.
std::vector<std::string> axes_of(const std::vector<Stage>& stages, const Stage& stage);

/// Returns the choice of an earlier stage that the stage of this name follows; empty: the last stage.
TableChoice choice_of(const std::vector<Stage>& stages, const std::string& name);

}  // namespace gausscse
