#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/run_result.hpp"

namespace gausscse {

/// Returns rows of cells as aligned text, a row a line: the first column to the left, the others to the right, two
/// blanks between. All rows have as many cells as the first. Cells are UTF-8, a code point being as wide as another.
/// Columns that would make lines wider than `widest` follow below, behind the first `labels` (>= 1) once more.
std::string text_table(const std::vector<std::vector<std::string>>& rows,
                       std::size_t widest = std::numeric_limits<std::size_t>::max(), std::size_t labels = 1);

/// Width of lines that tables of measurements have at most, in code points.
inline constexpr std::size_t measurement_width = 100;

/// Returns `value` with this many decimals, or a dash where it is NaN: a metric that does not exist.
std::string fixed_text(double value, int decimals);

/// Returns a fraction in percent with two decimals, or a dash.
std::string percent_text(double fraction);

/// Returns the mean of the values that are finite; NaN where there is none.
double mean_of_finite(std::span<const double> values);

/// Returns a curve as one line of at most `width` (>= 1) block characters of eight heights, the lowest value's the
/// least: each represents the mean of an equal part of `values`. Values that are not finite are left out of means and
/// heights; a part of nothing else is a blank. A curve without heights (all values equal) is of the middle height.
std::string sparkline(std::span<const double> values, std::size_t width);

/// Returns the function that prints values of a unit; a dash for NaN.
std::string (*text_of(Unit unit))(double);

/// Returns "accuracy %": the name of a metric at the head of its column.
std::string heading_of(const Metric& metric);

/// Returns a table for each kind of task, the first row its heading, then a row a task, and the average of the kind if
/// there is one. Metrics of parts (with a dot in their names) are left out. Behind each task, and behind the average,
/// comes a row of the metrics of `backbone`.
std::vector<std::vector<std::vector<std::string>>> measurement_rows(const std::vector<Measurement>& measurements,
                                                                    const std::vector<Measurement>& backbone = {});

/// Remarks, a line each, of tasks and averages.
std::string remark_lines(const std::vector<Measurement>& measurements);

/// Returns the name of the state, if it has one, the tables as aligned text, with rows of its backbone, and the
/// remarks.
std::string measurement_table(const StateResult& state);

/// Returns a sentence where the value of a metric that states are selected by is lower than the backbone's; nothing
/// where it is not, or where one of the two is missing.
std::optional<std::string> worse_than_backbone(const StateResult& kept, const std::string& task,
                                               const std::string& metric);

}  // namespace gausscse
