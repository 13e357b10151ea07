#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/manifest/table_settings.hpp"
#include "experiments/results/measurement.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// A difference that a test found between a cell and its rivals on the table's axis `compare`, for one rival.
struct CellTest {
  std::string rival;               ///< its label
  double p_of_sums = 0;            ///< McNemar on discordant pairs summed over seeds
  std::vector<double> p_of_seeds;  ///< of each seed that both have
  bool significant = false;        ///< at 0.05 on sums, after Holm's correction over the table where that is asked for
};

/// One cell: the figures of all its trials, and what was made of them. Fractions are fractions, not percent.
struct TableCell {
  double value = std::numeric_limits<double>::quiet_NaN();      ///< the aggregation; NaN: no trial has the figure
  double deviation = std::numeric_limits<double>::quiet_NaN();  ///< sample standard deviation; NaN for fewer than two
  std::int64_t count = 0;                                       ///< trials that have the figure
  std::int64_t missing = 0;                                     ///< trials of the cell that have not
  bool best = false;                                            ///< among its rivals, by the value that is printed
  std::optional<double> low, high;                              ///< interval, where one was asked for
  std::optional<double> paper;                                  ///< the paper's own figure, in the unit of `value`
  std::vector<CellTest> tests;
  Unit unit = Unit::fraction;
  std::string text;  ///< the value as printed: percent of a fraction, rounded or cut, "-" where there is none
};

/// A table as it is to be printed, in whatever format.
struct StudyTable {
  std::string name, title;
  std::vector<std::string> row_axes;                 ///< headings of the label columns
  std::vector<std::vector<std::string>> row_labels;  ///< of each row, one an axis
  std::vector<std::vector<std::string>>
      column_labels;                          ///< of each column: labels on the column axes, the figure's title last
  std::vector<std::vector<TableCell>> cells;  ///< [rows][columns]
  std::vector<std::string> notes;             ///< what a reader must know: marks, tests, missing trials
};

}  // namespace gausscse
