#pragma once

#include <string>

namespace gausscse {

/// Tables of every key, and of those of each kind of task, in Markdown: name, what is allowed, the recipes' defaults,
/// meaning. Part of docs/trial.md.
std::string trial_reference();

/// Returns the same for a terminal: a line with the name of each key, one with what is allowed and the default, and one
/// with its meaning; an empty line between the tables.
std::string trial_keys_text();

}  // namespace gausscse
