#pragma once

#include <string>

#include "dist/control_group.hpp"

namespace gausscse {

/// Throws InputError on all ranks where `own` is not the same on all of them: which ranks differ, and in which line.
/// `what` names it in the message: "the configuration".
void check_agreement(ControlGroup& ranks, const std::string& what, const std::string& own);

}  // namespace gausscse
