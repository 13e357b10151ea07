#pragma once

#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// `{"dev": {...}, "test": {"snli": {...}, ...}}` with the metrics of dev and of every test, tests in their order;
/// figures are fractions, those that do not exist are null. Indented, ends with a line break.
std::string json_report(const StateResult& state);

}  // namespace gausscse
