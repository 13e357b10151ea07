#pragma once

#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// The metrics of dev and of every test as aligned text, a set a line under a line of headings: percent with two
/// decimals, the threshold with three; a figure that does not exist is a dash.
std::string metrics_table(const StateResult& state);

}  // namespace gausscse
