#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
/// Fractions are not in percent and not rounded; missing values are empty fields.
std::string tables_csv(std::span<const StudyTable> tables);
/// Returns {"format": "gausscse-tables/1", "tables": [...]}; docs/tables.md describes it. A value that does not exist
/// is null.
std::string tables_json(std::span<const StudyTable> tables);

/// Ways in which a format writes the parts of a table.
struct TableStyle {
  std::function<std::string(const std::string&)> escape;  ///< escapes any text
  std::function<std::string(const std::string&)> best;    ///< marks the best value
  std::string mark_of_best;                               ///< as a legend names that mark
  std::string is_best;                                    ///< mark next to a value that stands out (`is_best`)
  std::string untrained;                                  ///< marks a value of untrained states
  std::string plus_minus;
  /// True if texts behind a value are filled up with blanks, so that values stand below each other
  bool aligned = false;
};

/// Returns the style of `table_text`.
const TableStyle& text_style();

using TextRows = std::vector<std::vector<std::string>>;

/// Returns the table as escaped cells, the first row its headings. A row has a column of each row axis (one, empty,
/// where there is none), then each column with its value. The value has the ± deviation of a mean, marks, "(3 of 5)"
/// where trials are missing, and the interval in brackets. Where the paper has a metric for any cell of the column, the
/// paper's and the difference from it follow.
TextRows value_rows(const StudyTable& table, const TableStyle& style);

/// Columns of the tests of a table: those that one of its tests fills.
class TestColumns {
 public:
  explicit TestColumns(const StudyTable& table);

  /// Returns the headings, for tests of `first` against `second`.
  std::vector<std::string> headings(const std::string& first, const std::string& second) const;
  /// Returns a test's cells, escaped; dashes where it is null.
  std::vector<std::string> cells(const CellTest* test, Unit unit, const TableStyle& style) const;

 private:
  bool mcnemar_, bootstrap_, seeds_, decided_, holm_;
};

/// Returns the tests, a row for each pair of cells, the first row their headings; empty where there is none.
TextRows test_rows(const StudyTable& table, const TableStyle& style);

/// Returns the meaning of the marks in the table, and its notes; escaped.
std::vector<std::string> remarks_of(const StudyTable& table, const TableStyle& style);

/// Returns the deviation of a mean over several trials, printed behind ± next to a cell's value. Besides a median or
/// the highest, which it is not about, there is none.
std::optional<double> deviation_next_to(const StudyTable& table, const TableCell& cell);

/// Meaning of the mark of untrained states, not escaped.
inline constexpr const char* untrained_legend =
    "some trial of the cell kept the state before the first step as its best: no result of training, "
    "and never marked as the best.";

/// Returns "NLI, stage final", not escaped.
std::string heading_of(const StudyTable& table);

/// Returns "bert-base snli.accuracy %", not escaped.
std::string heading_of_column(const StudyTable& table, std::size_t column);

}  // namespace gausscse
