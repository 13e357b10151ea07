#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace gausscse {

/// Mark that some programs put at the beginning of a file in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Source of a reader's bytes, piece by piece, so that no corpus is held in memory as a whole.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Writes at most `capacity` (>= 1) bytes to `buffer` and returns how many; 0 at the end.
  virtual std::size_t read(char* buffer, std::size_t capacity) = 0;
};

/// A regular file.
class FileSource final : public ByteSource {
 public:
  /// Throws InputError where `path` is missing, a folder, not a regular file or unreadable.
  explicit FileSource(const std::filesystem::path& path) : path_(path), file_(open_regular_file(path)) {}

  /// Throws SystemError where the machine fails to read.
  std::size_t read(char* buffer, std::size_t capacity) override { return read_some(file_, buffer, capacity, path_); }

 private:
  std::filesystem::path path_;
  OpenFile file_;
};

/// Bytes in memory, which must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}

  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = rest_.copy(buffer, capacity);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

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
