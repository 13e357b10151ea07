#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/study/difference_test.hpp"
#include "experiments/study/study_results.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Tests of the difference between a cell and one of its rivals on the table's axis `compare`.
struct CellTest {
  std::string rival;  ///< its label
  std::vector<McNemarTest>
      seeds;        ///< tests of each seed that both have, this cell first; empty for a metric that is no share
  McNemarTest sum;  ///< test of the sums of `seeds`
  /// 95% interval of the mean difference, this less the rival's, and its p, by a bootstrap over items.
  std::optional<double> low, high, bootstrap_p;
  std::optional<double> seeds_p;  ///< Welch's t-test over seeds; nothing for fewer than two
  std::optional<double> p;        ///< the larger of `bootstrap_p` and `seeds_p`, where there are both
  std::optional<double> holm_p;   ///< `p` after Holm's correction over the table, unless that was turned off
  bool significant = false;       ///< true if `holm_p`, or without it `p`, is below 0.05
  bool first = false;  ///< this cell stands before its rival in the table: each pair of cells has the test twice
};

/// The metric of one trial.
struct CellValue {
  std::int64_t seed = 0;
  std::string identity;  ///< identity of the trial
  double value = 0;
};

/// One cell: the metrics of all its trials, and their statistics. Fractions are fractions, not percent.
struct TableCell {
  double value = std::numeric_limits<double>::quiet_NaN();      ///< the aggregation; NaN: no trial has the metric
  double deviation = std::numeric_limits<double>::quiet_NaN();  ///< sample standard deviation; NaN for fewer than two
  std::int64_t count = 0;                                       ///< trials that have the metric
  std::int64_t missing = 0;                                     ///< trials of the cell that have not
  std::int64_t untrained = 0;       ///< trials of `count` that kept the state before their first step
  bool best = false;                ///< among its rivals, by the value that is printed
  std::optional<double> low, high;  ///< interval, where one was asked for
  std::optional<double> paper;      ///< the paper's own figure, in the unit of `value`
  std::vector<CellTest> tests;
  std::size_t untested = 0;  ///< rivals that have a value and no test against this cell
  Unit unit = Unit::fraction;
  std::string text;  ///< the value as printed: percent of a fraction, rounded or cut, "-" where there is none
  /// Axes whose labels an earlier stage chose, each with those of the cell's trials: "16", or "16, 32" where they
  /// differ.
  std::vector<std::pair<std::string, std::string>> chosen;
  std::vector<CellValue> values;  ///< values that `value` is made of, in the plan's order
  std::string backbone;           ///< highest value of the trials' backbones, as printed; empty where none has one
};

/// A table as it is to be printed, in any format.
struct StudyTable {
  std::string name, title;
  std::vector<std::string> row_axes;                 ///< headings of the label columns
  std::vector<std::vector<std::string>> row_labels;  ///< labels of each row, one an axis
  std::vector<std::vector<std::string>>
      column_labels;                          ///< for each column: labels on the column axes, the metric's title last
  std::vector<std::vector<TableCell>> cells;  ///< [rows][columns]
  std::size_t backbones = 0;                  ///< number of the last rows that are of backbones, not of trials
  std::vector<std::string> notes;             ///< remarks that a reader needs: tests, intervals, missing trials
  std::string stage;                          ///< stage of the trials
  std::vector<std::string> column_axes;
  std::vector<std::string> column_metrics;  ///< metric of each column, as "TASK.METRIC"
  std::vector<Unit> column_units;
  std::string compare;  ///< the axis whose labels compete; empty: none
  setting::Aggregation aggregation = setting::Aggregation::mean;
};

/// A cell's place in a table.
struct CellPlace {
  std::size_t row = 0, column = 0;
};

inline TableCell& cell_at(StudyTable& table, CellPlace place) {
  return table.cells[place.row][place.column];
}

/// Returns the number of rows of trials, which come first.
inline std::size_t rows_of_trials(const StudyTable& table) {
  return table.cells.size() - table.backbones;
}

/// Returns whether a condition holds for any cell.
template <typename Condition>
bool any_cell(const StudyTable& table, const Condition& condition) {
  for (const std::vector<TableCell>& row : table.cells)
    if (std::any_of(row.begin(), row.end(), condition)) return true;
  return false;
}

/// Returns whether a condition holds for any test of any cell.
template <typename Condition>
bool any_test(const StudyTable& table, const Condition& condition) {
  return any_cell(table,
                  [&](const TableCell& cell) { return std::any_of(cell.tests.begin(), cell.tests.end(), condition); });
}

/// Returns whether a cell is the best and its difference from each of its rivals that have a value is significant; it
/// is marked next to the best.
inline bool is_best(const TableCell& cell) {
  return cell.best && !cell.tests.empty() && cell.untested == 0 &&
         std::all_of(cell.tests.begin(), cell.tests.end(), [](const CellTest& test) { return test.significant; });
}

}  // namespace gausscse
