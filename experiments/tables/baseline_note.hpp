#pragma once

#include <string>

#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Returns what each metric of a table would be without any model, where trials hold it: of an accuracy the larger
/// class (`majority`), of an AUPRC the share of entailments (`positives`), of a direction the longer sentence
/// (`direction_length`); of averages and means the same average or mean. `cut` as of the table's values. Empty where no
/// metric of the table has a baseline.
std::string baseline_note(const StudyTable& table, const StudyResults& results, bool cut);

}  // namespace gausscse
