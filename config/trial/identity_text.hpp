#pragma once

#include <string>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns the settings that a trial is known by, for hashing: those of the canonical trial, each where it has not the
/// default that it is born with (a member's own, or that of a task's or term's kind). So a key that a later version
/// adds leaves the text of every trial that does not set it as it was, and what is done stays done. Two trials have the
/// same text if and only if their canonical trials are the same.
std::string identity_text(const Trial& trial);

}  // namespace gausscse
