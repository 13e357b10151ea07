#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/numbers/headline.hpp"
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
  std::vector<std::string> notes;                   ///< remarks that a reader of the page needs, a sentence each
  std::optional<Headline> headline = std::nullopt;  ///< nothing where no metric finds a best setting
};

/// Returns a study as one page of HTML that needs nothing else: no script, no font, no picture from elsewhere. A policy
/// in its head forbids a browser to fetch or run any. Equal content gives equal bytes.
std::string report_page(const ReportContent& content);

}  // namespace gausscse
