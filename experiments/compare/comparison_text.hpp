#pragma once

#include <string>

#include "experiments/compare/comparison.hpp"

namespace gausscse {

/// Returns a text for people: the groups, the table with a row for each metric (most metrics of parts are left out),
/// notes, differences of settings.
std::string comparison_text(const Comparison& comparison);

/// Returns all of it as JSON ("gausscse-comparison/1"), see docs/results.md. Fractions are not in percent; missing
/// values are null.
std::string comparison_json(const Comparison& comparison);

}  // namespace gausscse
