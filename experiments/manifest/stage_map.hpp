#pragma once

#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/manifest_draft.hpp"

namespace gausscse {

/// Returns the stages of a manifest, in their order. Problems are added to the context's: a stage's keys, an axis that
/// is neither named nor a key of trials, a choice from a stage that does not stand before it.
std::vector<Stage> read_stages(const ManifestDraft& draft, const KeyContext& context);

/// Returns the axes that trials of a stage are on: those of its grid, and those whose values it takes from earlier
/// stages.
std::vector<std::string> axes_of(const std::vector<Stage>& stages, const Stage& stage);

}  // namespace gausscse
