#pragma once

#include <span>
#include <string>

#include "base/choice.hpp"
#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Format in which tables are printed.
enum class TableFormat {
  text,      ///< aligned, for a terminal
  markdown,  ///< GitHub's
  latex,     ///< plain tabular, for pdflatex with no packages
  csv,       ///< a line a cell, RFC 4180
  json       ///< all numbers
};

template <>
inline constexpr NameTable<TableFormat, 5> names<TableFormat>{{{TableFormat::text, "text"},
                                                               {TableFormat::markdown, "markdown"},
                                                               {TableFormat::latex, "latex"},
                                                               {TableFormat::csv, "csv"},
                                                               {TableFormat::json, "json"}}};

/// Returns tables in a format. Labels, titles and notes are text and nothing else in every format.
std::string format_tables(std::span<const StudyTable> tables, TableFormat format);

std::string table_text(const StudyTable& table);
std::string table_markdown(const StudyTable& table);
std::string table_latex(const StudyTable& table);
/// Fractions are not in percent and not rounded; what does not exist is an empty field.
std::string tables_csv(std::span<const StudyTable> tables);
/// Returns {"format": "gausscse-tables/1", "tables": [...]}; docs/tables.md describes it. A value that does not exist
/// is null.
std::string tables_json(std::span<const StudyTable> tables);

}  // namespace gausscse
