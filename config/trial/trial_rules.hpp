#pragma once

#include "config/schema/yaml_node.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Checks the rules that join several keys, and adds each fault to `problems`. Only for a trial whose keys are all
/// right; `root` gives the places.
void check_trial_rules(const Trial& trial, const YamlNode& root, ProblemList& problems);

}  // namespace gausscse
