#pragma once

#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns a trial with every default of `recipe` and none of the required keys. Where the paper is silent, its recipe
/// has the released program's value.
Trial recipe_defaults(setting::Recipe recipe);

}  // namespace gausscse
