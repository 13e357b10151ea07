#pragma once

#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// The state and its step in a line, and the metrics of dev, where it was measured, and of every test as aligned text,
/// a set a line under a line of headings, and the tests' average where there are at least two: percent with two
/// decimals, the threshold with three; a figure that does not exist is a dash.
std::string metrics_table(const StateResult& state);

}  // namespace gausscse
