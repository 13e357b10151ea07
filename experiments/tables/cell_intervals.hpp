#pragma once

#include <vector>

#include "experiments/tables/make_table.hpp"
#include "experiments/tables/study_table.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// Puts a 95% interval into each cell for which there is one. `of_cells` are the trials of each cell, as in
/// `table.cells`. Only the mean has intervals:
///
///  - t: of the mean of two trials or more, that vary as seeds do;
///  - wilson: of shares of right items (accuracy, direction_*): as if the mean over trials were one trial on as many
///    items, which all of them must have;
///  - bootstrap: of metrics of items (see `item_metric`), drawing items: the mean over trials of the metric of the
///    draw.
void add_intervals(StudyTable& table, const std::vector<std::vector<std::vector<const StudyTrial*>>>& of_cells,
                   const TableOptions& options, TrialItems& items);

}  // namespace gausscse
