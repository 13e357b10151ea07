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

  /// Returns the first `count` bytes, fewer of a shorter file; reads go on from where they were. Throws SystemError
  /// where the machine fails to read.
  std::string first_bytes(std::size_t count) const;

  /// Returns the descriptor, which stays this object's.
  int descriptor() const { return file_.descriptor.get(); }

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

/// Source that gives the bytes which it gave until `rewind` once more: a reader looks at a file's beginning first.
class RewindableSource final : public ByteSource {
 public:
  /// `source` must outlive this one.
  explicit RewindableSource(ByteSource& source) : source_(source) {}

  std::size_t read(char* buffer, std::size_t capacity) override;

  /// Goes back to the beginning; once.
  void rewind();

 private:
  ByteSource& source_;
  std::string head_;
  std::size_t given_ = 0;
  bool keeps_ = true;
};

}  // namespace gausscse
