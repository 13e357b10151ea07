#pragma once

#include <string>
#include <vector>

#include "experiments/report/numbers/report_data.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// All that a page is made of.
struct ReportContent {
  const StudyResults& study;
  const ReportData& data;
  std::string title;  ///< title of the manifest; may be empty
  std::vector<StudyTable> tables;
  std::vector<std::string> notes;  ///< remarks that a reader of the page needs, a sentence each
};

}  // namespace gausscse
