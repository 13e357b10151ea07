#pragma once

#include <string>
#include <string_view>

#include "results/measurement.hpp"

namespace gausscse {

/// Returns a metric for people: a fraction in percent with two decimals, a number with four, a count with none (two,
/// where it is a mean that is not whole); "-" for NaN. Percentages are rounded, or with `cut` cut toward zero after two
/// decimals: 0.62016666 is 62.01. A value within 1e-10 of a number with two decimals is that number: 0.7444, for which
/// a double is a little less, is 74.44.
std::string printed_value(double value, Unit unit, bool cut);

/// Returns the number that a printed value says: in percent for a fraction; NaN for "-".
double printed_number(const std::string& text);

/// Returns a deviation or an interval's end next to it, in the same unit, rounded.
std::string printed_next_to(double value, Unit unit);

/// Returns "+0.12" or "-0.03": the difference between two printed values.
std::string printed_difference(const std::string& value, const std::string& from, Unit unit);

/// Returns a probability with four decimals; "<0.0001" below that.
std::string printed_p(double p);

/// Returns visible text (base/text.hpp) for a cell of a table in Markdown (GitHub's): characters with a meaning there
/// are escaped, HTML too.
std::string markdown_text(std::string_view text);

/// Returns a text for LaTeX, for pdflatex with no packages: special characters are escaped, ligatures are broken, and
/// characters that its fonts lack are written as U+4E2D.
std::string latex_text(std::string_view text);

/// Returns a field of CSV (RFC 4180): in quotation marks, those within doubled, where it holds a comma, a quotation
/// mark or a line break, or begins or ends with a blank. Control characters are made visible. A text that a spreadsheet
/// would take for a formula (it begins with =, +, - or @ and is no number) begins with an apostrophe.
std::string csv_field(std::string_view text);

}  // namespace gausscse
