#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Longest line of a corpus, in bytes; a longer one means that the file is not one.
inline constexpr std::size_t max_line_bytes = std::size_t{16} << 20;

/// Text of a source as its readers see it: the bytes that were read and not yet taken.
class TextBuffer {
 public:
  /// Makes an empty buffer. `name` is the file's, for messages. `source` must outlive the buffer.
  TextBuffer(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Returns the bytes that were read and not yet taken, valid until `fill`.
  std::string_view bytes() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Returns the bytes at the front, which a reader may write until it takes them.
  char* data() { return buffer_.data() + begin_; }

  /// Takes the first `count` bytes.
  void take(std::size_t count) { begin_ += count; }

  /// Reads more bytes behind those that there are; returns false at the end of the source.
  bool fill();

  /// Returns true if `fill` met the end of the source.
  bool at_end() const { return at_end_; }

  /// Reads the beginning. Throws InputError for a file that is no text in UTF-8 by its first bytes, with its kind.
  void read_beginning();

  const std::string& name() const { return name_; }

 private:
  ByteSource& source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
};

/// Lines of a text: ended by LF or CR LF, the last one with or without. A UTF-8 byte order mark at the start of the
/// text is left out. A file that is no text in UTF-8 by its first bytes is refused by its kind (base/file_kind.hpp).
class LineReader {
 public:
  /// Opens the text. `name` is the file's, for messages. `source` must outlive the reader.
  LineReader(ByteSource& source, std::string name) : text_(source, std::move(name)) {}

  /// Sets `line` to the next line without its end, valid until the next call; false after the last line. Throws
  /// InputError on a line over `max_line_bytes`, and at the first call where the file is of another kind.
  bool next(std::string_view& line);

  /// Reads the next line, but leaves out lines of nothing but spaces, tabs and carriage returns.
  bool next_not_blank(std::string_view& line);

  /// Returns the number of the line that `next` gave last; the first is 1.
  std::size_t line_number() const { return line_number_; }

  const std::string& name() const { return text_.name(); }

 private:
  TextBuffer text_;
  std::size_t line_number_ = 0;
};

/// Returns the parts of `line` between tabs; at most `max_parts`, the last with the rest of the line.
std::vector<std::string_view> split_at_tabs(std::string_view line, std::size_t max_parts);

/// Most fields of one record; more means that the file is not one of ours.
inline constexpr std::size_t max_csv_fields = 65536;

/// Reader of records of a comma-separated text as in RFC 4180: fields may be quoted, and then hold commas, line ends
/// and doubled quotes. Where the RFC leaves a choice, it reads as Python's csv module with `strict`. A line ends with
/// LF, CR LF or CR. A quote inside an unquoted field is a plain character. A quote that is never closed is an error,
/// and so is text between a closing quote and the next comma or line end. Writers that escape quotes by backslashes
/// leave such text: nobody knows where the record ends. A UTF-8 byte order mark at the start is left out.
class CsvReader {
 public:
  /// Opens the text. `name` is the file's, for messages. `source` must outlive the reader. Throws InputError for a file
  /// that is no text in UTF-8 by its first bytes, with its kind.
  /// `separator` stands between fields.
  CsvReader(ByteSource& source, std::string name, char separator = ',');

  /// Sets `fields` to those of the next record, valid until the next call; a line of nothing but blanks and tabs gives
  /// none. False after the last record. Throws InputError on a quote without end, on text behind a closing quote, and
  /// on a record over `max_line_bytes` or `max_csv_fields`.
  bool next(std::vector<std::string_view>& fields);

  /// Returns the line on which the record that `next` gave last begins; the first line is 1.
  std::size_t line_number() const { return record_line_; }

  const std::string& name() const { return text_.name(); }

 private:
  /// Place of a field in the text.
  struct Field {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_quoted = false;
    bool has_quotes = false;  ///< doubled ones, in a quoted field
  };

  std::size_t find_fields();
  bool find_field(std::size_t& at);
  bool find_quoted_field(std::size_t& at);
  void grow_record(std::size_t bytes);
  std::size_t line_at(std::size_t place) const;

  TextBuffer text_;
  char separator_;
  std::size_t line_ = 1;  ///< line of the first byte in `text_`
  std::size_t record_line_ = 0;
  std::size_t record_bytes_ = 0;
  std::vector<Field> fields_;
};

}  // namespace gausscse
