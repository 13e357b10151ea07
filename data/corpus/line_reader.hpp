#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/corpus/byte_source.hpp"

namespace gausscse {

/// Longest line of a corpus, in bytes; a longer one means that the file is not one.
inline constexpr std::size_t max_line_bytes = std::size_t{16} << 20;

/// Lines of a text: ended by LF or CR LF, the last one with or without. A UTF-8 byte order mark at the start of the
/// text is left out. A file that is no text in UTF-8 by its first bytes is refused by its kind (base/file_kind.hpp).
class LineReader {
 public:
  /// Opens the text. `name` is the file's, for messages. `source` must outlive the reader.
  LineReader(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Sets `line` to the next line without its end, valid until the next call; false after the last line. Throws
  /// InputError on a line over `max_line_bytes`, and at the first call where the file is of another kind.
  bool next(std::string_view& line);

  /// Does the same as `next`, but leaves out lines of nothing but spaces, tabs and carriage returns.
  bool next_not_blank(std::string_view& line);

  /// Returns the number of the line that `next` gave last; the first is 1.
  std::size_t line_number() const { return line_number_; }

  const std::string& name() const { return name_; }

 private:
  bool fill();
  void check_kind();

  ByteSource& source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_number_ = 0;
  bool at_end_ = false;
};

}  // namespace gausscse
