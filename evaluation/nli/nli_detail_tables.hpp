#pragma once

#include <string>
#include <vector>

#include "results/measurement.hpp"

namespace gausscse {

/// Returns two tables of the details of NLI tasks as aligned text, each empty where no task has its metrics:
///
///  - a row a task and calibrator: the metrics of probabilities of NliProbabilities, with the bootstrap interval of the
///    calibration error;
///  - a row a task and bin of `length_bins` that has directed pairs, and one of all pairs. It has the shares of right
///    directions by similarity and by variance, with Wilson's 95 % intervals, and by length alone.
std::string nli_detail_tables(const std::vector<Measurement>& measurements);

}  // namespace gausscse
