#pragma once

#include <string>

namespace gausscse {

/// Tables of every key, and of those of each kind of task, in Markdown: name, allowed values, the recipes' defaults,
/// meaning. Part of docs/trial_keys.md.
std::string trial_reference();

/// Returns the tables of keys for a terminal. Each key has a line with its name, one with the allowed values and the
/// default, and one with its meaning. An empty line separates the tables.
std::string trial_keys_text();

}  // namespace gausscse
