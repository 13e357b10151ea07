#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpus/json_row.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/json_array_source.hpp"

namespace gausscse {

/// Column that a reader asks for.
struct RowColumn {
  std::vector<std::string> names;  ///< any of them; the first that a file has counts
  bool needed = true;
  std::string_view purpose = {};  ///< ", which ..." for messages; empty: the names say it
};

/// Rows of a text file with named columns, in one of four formats. A CSV file is read by CsvReader, with commas or
/// semicolons. In a tab-separated file a quote is part of the text. The others are a JSON object a line, whose keys are
/// the columns, and an array of such objects, each of which counts as a line. The first line that is not blank shows
/// which; blank lines are left out. A UTF-8 byte order mark at the start is left out.
///
///     RowSource rows(source, name);
///     rows.select("scored pairs", {{{"sentence1"}}, {{"sentence2"}}, {{"score", "similarity_score"}}});
///     LineTally lines(name, bad_lines, report);
///     while (rows.next(lines, [&] { pair.first = rows.sentence(0, trim); ... })) sink(pair);
///     lines.finish("pair");
class RowSource {
 public:
  /// Opens the rows. `name` is the file's, for messages. `source` must outlive the rows. Throws InputError for a file
  /// that is empty, of another kind by its first bytes (base/file_kind.hpp), or whose first line has no fields.
  RowSource(ByteSource& source, std::string name);
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  const std::string& name() const { return name_; }
  bool is_json() const { return json_.has_value(); }
  bool is_csv() const { return csv_.has_value(); }

  /// Returns the fields of the first row, without white space at their ends; of JSON its keys, none where that line is
  /// bad.
  const std::vector<std::string>& header() const { return header_; }
  /// Returns whether the first row has a column of this name. No column has an empty name: pandas writes one above its
  /// index.
  bool has_column(std::string_view name) const;

  /// Makes the first row one of data, whose columns have these names. More fields than names are refused in its rows,
  /// or allowed.
  void without_header(std::vector<std::string> names, bool allow_more);

  /// Sets the columns that rows are asked for by their place in the list. `items` names the rows in messages
  /// ("triples"). Throws InputError where the header lacks a needed column or has one twice.
  void select(std::string_view items, std::vector<RowColumn> columns);

  /// Throws InputError, with file and line of the first row, that says which columns it has and which are needed.
  [[noreturn]] void refuse_header(std::string_view needed) const;

  /// Moves on to the next row that is good: that has the selected columns, is well-formed UTF-8, and that `parse` reads
  /// without an InputError. Others are bad lines. False after the last row. Throws InputError where nothing can be read
  /// behind a row, as after a quote without end.
  template <typename Parse>
  bool next(LineTally& lines, const Parse& parse) {
    while (advance()) {
      if (lines.read(line_number_, [&] {
            split();
            parse();
          }))
        return true;
    }
    return false;
  }

  /// Returns the place of the row, for messages: "FILE:LINE".
  std::string place() const { return at_line(name_, line_number_); }

  /// Returns whether the row has a value in a selected column.
  bool has(std::size_t column) const { return values_[column].data() != nullptr; }

  /// Returns the row's text in a selected column. Throws InputError, without the place, for a JSON value that is no
  /// text.
  std::string_view text(std::size_t column) const { return checked_value(column, false); }

  /// Returns the text of a column, where a number or a truth value of JSON is a text as well, and null, if
  /// `null_is_empty`, an empty one.
  std::string_view scalar(std::size_t column, bool null_is_empty = false) const {
    return null_is_empty && is_null(column) ? std::string_view() : checked_value(column, true);
  }

  /// Returns `checked_sentence` of the text, valid until the next row.
  std::string_view sentence(std::size_t column, bool trim) const;

  /// Appends `checked_sentence` of each text of a JSON array of texts, of the one text otherwise, valid until the next
  /// row.
  void append_sentences(std::size_t column, bool trim, std::vector<std::string_view>& sentences) const;

  /// Returns the name by which the file, and of JSON the row, has a selected column.
  const std::string& name_of(std::size_t column) const;

 private:
  /// Place of a selected column.
  struct Selected {
    RowColumn column;
    std::vector<std::size_t> places = {};  ///< places of all names in the keys of `json_`, for JSON
    std::size_t place = 0;                 ///< place that the row has
  };

  void find_column(std::size_t column);
  bool read_record();
  bool advance();
  void split();
  void split_fields();
  void split_json();
  std::string needed_columns() const;
  std::string missing_column(const RowColumn& column, const std::vector<std::string>& found) const;
  std::string_view checked_value(std::size_t column, bool any_scalar) const;
  bool is_null(std::size_t column) const { return json_ && json_->values()[selected_[column].place].kind == "null"; }

  JsonArraySource elements_;
  RewindableSource source_;
  std::string name_;
  std::optional<LineReader> lines_;
  std::optional<CsvReader> csv_;
  std::optional<JsonRow> json_;
  std::vector<std::string> header_;
  std::string items_;
  std::vector<Selected> selected_;
  std::size_t needed_fields_ = 0;
  char separator_ = '\t';  ///< character between fields
  bool allow_more_ = false;
  bool first_is_next_ = false;  ///< true if the row that was read last is the next one to give

  std::size_t line_number_ = 0;
  std::string_view line_;
  std::vector<std::string_view> fields_;                                ///< fields of the row, unless it is JSON
  std::vector<std::pair<std::size_t, std::size_t>> columns_of_fields_;  ///< selected columns with their places there
  std::vector<std::string_view> values_;  ///< values of the row, by selected column; null where it has none
};

}  // namespace gausscse
