#pragma once

#include <string>
#include <vector>

#include "experiments/tables/make_table.hpp"
#include "experiments/tables/study_table.hpp"
#include "experiments/tables/table_layout.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// The level of tests.
inline constexpr double significance_level = 0.05;

/// Numbers of the comparisons, for the notes.
struct ComparedCells {
  std::size_t pairs = 0;                 ///< pairs of cells with a test
  std::size_t mcnemar = 0;               ///< tests of a share of right items
  std::size_t with_p = 0;                ///< tests with a p that a mark can rest on
  std::size_t one_seed = 0;              ///< tests without, as their trials share one seed alone
  std::vector<std::string> other_items;  ///< why pairs of trials were not measured on the same items, so have none
  /// Notes on tests that there are not: named trials have no pairs, or only --interval bootstrap tests a metric.
  std::vector<std::string> notes;
};

/// Tests each cell against its rivals, where the table compares an axis. From the table to the tests:
///
///     table           rivals (rival_cells)   trials (Pairing)           items (PairedMetric)     test
///
///     loss accuracy                          ent seed 0 - con seed 0    1011.. - 0011..      McNemar of seed 0
///     ent  77.1       \ equal metric and     ent seed 1 - con seed 1    1010.. - 1011..      McNemar of seed 1
///     con  78.2       / labels but on loss   all pairs                  mean   - mean        bootstrap over items
///                                            values of each seed                             Welch over seeds
///
/// A seed's metric is the mean of its trials. A mark rests on bootstrap and Welch (`DifferenceTest`). Shares of right
/// items are always tested, other metrics of items where intervals by bootstrap are asked for. Of named trials
/// (`TableOptions::named`) each metric is tested, over all values of both cells if there are several. `of_cells` are
/// the trials of each cell, as in `table.cells`.
ComparedCells compare_cells(StudyTable& table, const std::vector<std::vector<std::vector<const StudyTrial*>>>& of_cells,
                            const TableOptions& options, TrialItems& items);

/// Returns whether the metric "TASK.METRIC" is tested under these options.
bool can_be_tested(const std::string& name, const TableOptions& options);

}  // namespace gausscse
