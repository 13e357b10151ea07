#pragma once

#include "experiments/tables/study_table.hpp"
#include "experiments/tables/table_options.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// Returns a table of a study's trials as they are now: rows and columns in the order in which labels first appear in
/// the plan, a cell of all done trials of the stage with its labels. Result files are read only for tests and
/// bootstraps. Throws InputError where the stage or an axis is not known (see `lay_out`), or a column of the paper's
/// metrics; what is missing or cannot be tested is said in the notes.
StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options);

/// Returns the same, for one table of several: `items` is theirs together, so that each result file is read once at
/// most.
StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options,
                      TrialItems& items);

}  // namespace gausscse
