#pragma once

#include <string>

namespace gausscse {

/// A table of every key in Markdown: name, what is allowed, the recipes' defaults, meaning. Part of docs/trial.md.
std::string trial_reference();

}  // namespace gausscse
