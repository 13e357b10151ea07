#pragma once

#include <string>

#include "experiments/report/sections/report_content.hpp"

namespace gausscse {

/// Returns a study as one page of HTML that needs nothing else: no script, no font, no picture from elsewhere, and a
/// policy in its head that forbids a browser to fetch or run any. Equal content gives equal bytes.
std::string report_page(const ReportContent& content);

/// Returns whether a file is a page of this program's, so that another one may take its place.
bool is_report_page(std::string_view beginning);

}  // namespace gausscse
