#pragma once

#include <string>

#include "results/result_text.hpp"
#include "training/checkpoint/training_state.hpp"

namespace gausscse {

/// Returns a description of a checkpoint: its step, its best state so far, its configuration and its curves.
std::string checkpoint_text(const TrainingState& state, CurveStyle style);

/// Returns a checkpoint as JSON: `kind` ("checkpoint"), `step`, `best` (`step` and `dev`; null before the first
/// evaluation), `parameters`, `configuration` (text), `training` and `dev` (an array a column).
std::string checkpoint_json(const TrainingState& state);

}  // namespace gausscse
