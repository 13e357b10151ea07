#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/corpus/byte_source.hpp"

namespace gausscse {

/// Most fields of one record; more means that the file is not one of ours.
inline constexpr std::size_t max_csv_fields = 65536;

/// Records of a comma-separated text as in RFC 4180: fields may be quoted, and then hold commas, line ends and doubled
/// quotes. What the RFC leaves open is as in Python's csv module: a line ends with LF, CR LF or CR; a quote inside an
/// unquoted field is a plain character; text after a closing quote is added to the field. A UTF-8 byte order mark at
/// the start is left out. Unlike there, a quote that is never closed is an error.
class CsvReader {
 public:
  /// `name` is the file's, for messages. `source` must outlive the reader.
  CsvReader(ByteSource& source, std::string name);

  /// Sets `fields` to those of the next record; a blank line gives none. False after the last record. Throws InputError
  /// on a quote without end, and on a record over `max_line_bytes` or `max_csv_fields`.
  bool next(std::vector<std::string>& fields);

  /// Line on which the record that `next` gave last begins; the first line is 1.
  std::size_t line_number() const { return record_line_; }

  const std::string& name() const { return name_; }

 private:
  static constexpr int end_of_text = -1;

  int peek();
  int take();
  void take_rest_of_line_end(int character);
  void begin_field(std::vector<std::string>& fields);
  void read_quoted(std::string& field);
  void grow_record();

  ByteSource& source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
  std::size_t record_bytes_ = 0;
};

}  // namespace gausscse
