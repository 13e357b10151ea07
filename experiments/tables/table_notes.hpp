#pragma once

#include <string>
#include <vector>

#include "experiments/tables/compare_cells.hpp"
#include "experiments/tables/make_table.hpp"
#include "experiments/tables/study_table.hpp"
#include "experiments/tables/table_layout.hpp"

namespace gausscse {

/// Returns the value that each metric of a table would have without any model, where trials hold it. It is for an
/// accuracy the larger class (`majority`), for an AUPRC the share of entailments (`positives`), for a direction the
/// longer sentence (`direction_length`); of means the same mean. Then the backbone's values, or the meaning of the
/// table's rows of backbones. `cut` as of the table's values. Empty where no metric of the table has a baseline.
std::string baseline_note(const StudyTable& table, const StudyResults& results, bool cut);

/// Returns the settings that an earlier stage chose, such as batch size and learning rate, and the rows that have them;
/// of a row with several, also the labels of its columns. Empty where the table shows all that was chosen.
std::string chosen_note(const StudyTable& table, const TableChoice& choice);

/// Facts on the trials and tests of a table.
struct TableFacts {
  const TableSettings& settings;
  const StudyResults& results;
  const TableOptions& options;
  const TableLayout& layout;
  ComparedCells compared;
  std::vector<std::string> problems;  ///< result files that could not be read for tests
};

/// Returns the notes that a reader of the table must know, a sentence or two each.
std::vector<std::string> notes_of(const StudyTable& table, const TableFacts& facts);

}  // namespace gausscse
