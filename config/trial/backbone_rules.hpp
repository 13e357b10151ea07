#pragma once

#include <functional>
#include <string>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Adds a problem with the value of a key.
using AddProblem = std::function<void(const std::string& key, const std::string& problem)>;

/// Checks that the keys of `model.backbone` describe one backbone: a folder, a named architecture or given vectors.
void check_backbone(const Trial& trial, const AddProblem& add);

}  // namespace gausscse
