#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Text that moves nothing on a terminal and hides nothing: control characters as \n, \t or \u{1B}, so are characters
/// that turn the direction of writing and other line breaks; a byte that is no UTF-8 as \xFF.
std::string visible_text(std::string_view text);

/// The same for a cell of a table in Markdown (GitHub's): what has a meaning there is escaped, HTML too.
std::string markdown_text(std::string_view text);

/// The same for LaTeX, for pdflatex with no packages: what has a meaning is escaped, ligatures are broken, characters
/// that its fonts lack are written as U+4E2D.
std::string latex_text(std::string_view text);

/// A field of CSV (RFC 4180): in quotation marks, those within doubled, where it holds a comma, a quotation mark or a
/// line break, or begins or ends with a blank.
std::string csv_field(std::string_view text);

}  // namespace gausscse
