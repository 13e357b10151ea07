#pragma once

#include <string>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/tables/table_layout.hpp"

namespace gausscse {

/// Row of a table that is of a backbone: the metrics of the encoder before the training, its pooled vectors by cosine.
struct BackboneRow {
  std::string label;                          ///< "backbone", or "backbone bert" where the table has several
  std::vector<const StudyTrial*> of_columns;  ///< for each combination of labels, a trial that has it; or null
};

/// Returns a row for each backbone that trials of the table have: backbones differ where one of the table's metrics
/// prints another value. Of several, the label is that of the first axis that distinguishes them, or of all axes whose
/// labels differ. Empty where no trial has a metric of its backbone, and for a table without axes of rows.
std::vector<BackboneRow> backbone_rows(const TableLayout& layout, const TableSettings& settings);

}  // namespace gausscse
