#pragma once

#include "experiments/manifest/table_settings.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns the results with a trial for each of the table's `reports`, before all others: done where its file is in the
/// folder `reports` of the results folder, else waiting for it. Throws InputError where a file is no report, or a
/// report has no label on one of the table's axes.
StudyResults with_reports(const TableSettings& settings, const StudyResults& results);

}  // namespace gausscse
