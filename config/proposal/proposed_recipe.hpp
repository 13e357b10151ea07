#pragma once

#include <vector>

#include "config/proposal/proposed_trial.hpp"

namespace gausscse {

/// Returns the defaults of the recipe that fits the data, or that was asked for, changed where the data lack what it
/// needs; adds a remark on each choice. Throws InputError where no change lets the recipe train on the data.
Trial propose_recipe(const ProposalRequest& request, std::vector<Remark>& remarks);

}  // namespace gausscse
