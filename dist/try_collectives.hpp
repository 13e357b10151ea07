#pragma once

#include <c10/core/Device.h>

#include "dist/collectives.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// Goes through one sum and one ring shift with tensors on `device`, and waits for them: a transport makes its
/// connections when it is first used, which must not happen during other work. Throws SystemError where the numbers
/// that come out are wrong. Collective.
void try_collectives(const ControlGroup& ranks, Collectives& collectives, at::Device device);

}  // namespace gausscse
