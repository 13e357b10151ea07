#pragma once

#include <filesystem>

#include "config/schema/problem_list.hpp"
#include "config/schema/yaml_node.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns the trial that a map of YAML describes: its recipe's defaults, the map's keys over them. Relative paths are
/// made absolute from `base_folder`. All that is wrong is added to `problems`, and the trial then not to be used.
/// Throws InputError where the map is of another format.
Trial read_trial_map(const YamlNode& root, const std::filesystem::path& base_folder, ProblemList& problems);

}  // namespace gausscse
