#pragma once

#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// `{"state": "best", "step": 120, "dev": {...}, "test": {"snli": {...}, ...}}` with the metrics of dev, where it was
/// measured, and of every test, tests in their order; figures are fractions, those that do not exist are null.
/// Where there are two tests or more, `"average"` has their average. Indented, ends with a line break.
std::string json_report(const StateResult& state);

/// All that a result file holds but the scores of single pairs: `kind` ("result"), `configuration` (YAML text),
/// `provenance`, `training` and `dev` (an array a column, see docs/results.md), and the array `states`, each as above.
std::string json_report(const RunResult& result);

}  // namespace gausscse
