#pragma once

#include "experiments/schema/key.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse {

/// Every key of the trial file.
const Keys<Trial>& trial_keys();

}  // namespace gausscse
