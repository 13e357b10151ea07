#pragma once

#include <string>
#include <vector>

#include "experiments/tables/compare_cells.hpp"
#include "experiments/tables/study_table.hpp"
#include "experiments/tables/table_layout.hpp"
#include "experiments/tables/table_options.hpp"

namespace gausscse {

/// Facts on the trials and tests of a table.
struct TableFacts {
  const TableSettings& settings;
  const StudyResults& results;
  const TableOptions& options;
  const TableLayout& layout;
  ComparedCells compared;
  std::vector<std::string> problems;  ///< result files that could not be read for tests
};

/// Returns what a reader of the table must know, a sentence or two each.
std::vector<std::string> notes_of(const StudyTable& table, const TableFacts& facts);

}  // namespace gausscse
