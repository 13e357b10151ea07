#pragma once

#include "config/schema/key.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns every key of the trial file.
const Keys<Trial>& trial_keys();

}  // namespace gausscse
