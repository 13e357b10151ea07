#pragma once

#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Returns a table of two losses with a metric of a paper, tests, intervals and a missing trial, made by hand.
StudyTable sample_table();

/// Returns a table whose every text has characters with a meaning somewhere: in Markdown, LaTeX, CSV, HTML or a
/// terminal.
StudyTable hostile_table();

}  // namespace gausscse
