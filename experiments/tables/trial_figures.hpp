#pragma once

#include <string>
#include <vector>

#include "experiments/manifest/table_settings.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns all metrics that done trials of a stage have, as "TASK.METRIC" or "average.KIND.METRIC" (see `figure_of`);
/// those of parts (with a dot in the metric's own name) are left out. In the order in which they first come, averages
/// behind the tasks.
std::vector<std::string> figures_of_stage(const StudyResults& results, const std::string& stage);

/// Returns a table for a study that names none: all of these metrics, all axes of the last stage as rows.
TableSettings default_table(const StudyResults& results);

}  // namespace gausscse
