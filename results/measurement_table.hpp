#pragma once

#include <string>
#include <vector>

#include "results/run_result.hpp"

namespace gausscse {

/// Returns "accuracy %": the name of a metric at the head of its column.
std::string heading_of(const Figure& figure);

/// Returns a table for each kind of task, the first row its heading, then a row a task, and the average of the kind if
/// there is one. Metrics of parts (with a dot in their names) are left out.
std::vector<std::vector<std::vector<std::string>>> measurement_rows(const std::vector<Measurement>& measurements);

/// Remarks, a line each, of tasks and averages.
std::string remark_lines(const std::vector<Measurement>& measurements);

/// Returns which state it is, if it has a name, the tables as aligned text, and the remarks.
std::string measurement_table(const StateResult& state);

}  // namespace gausscse
