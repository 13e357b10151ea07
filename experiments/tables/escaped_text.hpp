#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Returns visible text (base/text.hpp) for a cell of a table in Markdown (GitHub's): what has a meaning there
/// is escaped, HTML too.
std::string markdown_text(std::string_view text);

/// Returns the same for LaTeX, for pdflatex with no packages: what has a meaning is escaped, ligatures are broken,
/// characters that its fonts lack are written as U+4E2D.
std::string latex_text(std::string_view text);

/// Returns a field of CSV (RFC 4180): in quotation marks, those within doubled, where it holds a comma, a quotation
/// mark or a line break, or begins or ends with a blank. Control characters are made visible. A text that a spreadsheet
/// would take for a formula (it begins with =, +, - or @ and is no number) begins with an apostrophe.
std::string csv_field(std::string_view text);

}  // namespace gausscse
