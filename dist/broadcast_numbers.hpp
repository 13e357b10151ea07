#pragma once

#include <vector>

#include "dist/control_group.hpp"

namespace gausscse {

/// Sends numbers of rank 0 to all; those of the others, which may be more or fewer, are replaced. Collective.
void broadcast_numbers(std::vector<double>& numbers, ControlGroup& ranks);

}  // namespace gausscse
