#pragma once

#include <string>

namespace gausscse {

/// Tables of every key, and of those of each kind of task, in Markdown: name, what is allowed, the recipes' defaults,
/// meaning. Part of docs/trial.md.
std::string trial_reference();

}  // namespace gausscse
