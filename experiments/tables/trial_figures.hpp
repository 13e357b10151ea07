#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/manifest/table_settings.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// The value of "TASK.FIGURE", or of "average.KIND.FIGURE" over the tasks of a kind (see `averages_of`), in the state
/// that a done trial kept; nothing where the trial is not done or has no such figure.
std::optional<Figure> table_figure(const StudyTrial& trial, const std::string& name);

/// All of these that done trials of a stage have, those of parts (with a dot in the figure's own name) left out, in the
/// order in which they first come, averages behind the tasks.
std::vector<std::string> figures_of_stage(const StudyResults& results, const std::string& stage);

/// A table for a study that names none: all of these figures, all axes of the last stage as rows.
TableSettings default_table(const StudyResults& results);

}  // namespace gausscse
