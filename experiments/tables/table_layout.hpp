#pragma once

#include <string>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns the results with a trial for each of the table's `reports`, before all others: done where its file is in the
/// folder `reports` of the results folder, else waiting for it. Throws InputError where a file is no report, or a
/// report has no label on one of the table's axes.
StudyResults with_reports(const TableSettings& settings, const StudyResults& results);

/// Assignment of a study's trials to the cells of a table.
struct TableLayout {
  using Labels = std::vector<std::string>;

  std::string stage;
  /// Combinations of labels on the table's axes that trials have, sorted by where each label first appears in the plan.
  std::vector<Labels> rows, columns;
  std::vector<std::vector<std::vector<const StudyTrial*>>> trials;  ///< [rows][columns], in the plan's order
  /// Trials of the stage without a label on one of the axes: an earlier stage has still to choose it.
  std::vector<const StudyTrial*> without_place;
};

/// Throws InputError where the stage or an axis is not known, and where the table compares an axis that is neither
/// among its rows nor its columns.
TableLayout lay_out(const TableSettings& settings, const StudyResults& results);

/// Returns the axes of a stage's trials, in their order.
std::vector<std::string> axes_of_stage(const StudyResults& results, const std::string& stage);

/// Returns the stage of a table: as it says, else the last of the plan; empty for a study without trials.
std::string stage_of(const TableSettings& settings, const StudyResults& results);

}  // namespace gausscse
