#pragma once

#include "config/schema/key.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns every key of the trial file.
const Keys<Trial>& trial_keys();

/// Returns the keys of a trial's objective: "objective.kind", ...
Keys<Trial> objective_keys();

/// Returns the keys of its training data: "data.train", ...
Keys<Trial> data_keys();

/// Returns the keys of its training: "training.parameters", ...
Keys<Trial> training_keys();

/// Returns the keys of a term of a sum: "kind", "weight", ...
const Keys<ObjectiveTerm>& objective_term_keys();

}  // namespace gausscse
