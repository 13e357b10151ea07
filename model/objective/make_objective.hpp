#pragma once

#include <memory>

#include "model/objective/objective.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

/// Returns `width` is that of an embedding.
std::unique_ptr<Objective> make_objective(const ObjectiveSettings& settings, std::int64_t width);

}  // namespace gausscse
