#pragma once

#include <string>
#include <vector>

#include "config/schema/problem_list.hpp"
#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Puts every override ("a.b=value", the value in YAML) into the document as if it were written there, in place of what
/// is; later ones win. An override that cannot be read is added to `problems`. `root` must be a map.
void apply_overrides(const std::vector<std::string>& overrides, YamlNode& root, ProblemList& problems);

}  // namespace gausscse
