#pragma once

#include <memory>

#include "model/objective/objective.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

std::unique_ptr<Objective> make_objective(const ObjectiveSettings& settings);

}  // namespace gausscse
