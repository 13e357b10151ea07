#pragma once

#include <vector>

#include "experiments/tables/study_table.hpp"
#include "experiments/tables/table_layout.hpp"
#include "experiments/tables/table_options.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// The level of tests.
inline constexpr double significance_level = 0.05;

/// What was compared, for the notes.
struct ComparedCells {
  std::size_t pairs = 0;        ///< pairs of cells with a test
  std::size_t other_items = 0;  ///< pairs of trials that were measured on other items, so that they have none
  std::size_t most_seeds = 0;   ///< of a test; 0: there is none
};

/// McNemar's test of each cell against its rivals, where the table compares an axis and the figure is a share of right
/// items: of each seed that both cells have, and of the discordant pairs of all these seeds summed. Trials of the same
/// seed belong together; where a cell has several of a seed, those with the same labels on all axes but the one
/// compared. `of_cells` are the trials of each cell, as in `table.cells`.
ComparedCells compare_cells(StudyTable& table, const std::vector<std::vector<std::vector<const StudyTrial*>>>& of_cells,
                            const TableOptions& options, TrialItems& items);

/// Whether the figure "TASK.FIGURE" can be tested at all.
bool can_be_tested(const std::string& name);

}  // namespace gausscse
