#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_calls.hpp"

namespace gausscse {

/// A file open for reading, and its size when it was opened.
struct OpenFile {
  FileDescriptor descriptor;
  std::size_t size = 0;
};

/// Treatment of a symbolic link in a file's place. In a folder that others can write to, such as a study's results, a
/// link may lead to any file that its reader may open: readers of such folders refuse links.
enum class Links { followed, refused };

/// Opens a regular file, or the copy of a piped input that is kept (base/piped_input.hpp). Throws InputError, naming
/// the path and the reason, where it is missing, a folder, not a regular file (a pipe could wait for ever), a refused
/// symbolic link or unreadable; SystemError where the machine fails.
OpenFile open_regular_file(const std::filesystem::path& path, Links links = Links::followed);

/// Reads at most `capacity` bytes from where the last read ended; 0 at the end of the file. Throws SystemError, with
/// `path` for the message, where the machine fails.
std::size_t read_some(const OpenFile& file, char* buffer, std::size_t capacity, const std::filesystem::path& path);

/// Returns the bytes of a regular file. Throws as `open_regular_file` does, and InputError where it holds more than
/// `max_bytes`.
std::string read_whole_file(const std::filesystem::path& path, std::size_t max_bytes, Links links = Links::followed);

/// A regular file mapped read-only into memory. The file must not shrink while it is mapped: pages that are gone end
/// the process with SIGBUS. Replacing it by rename is fine.
class MappedFile {
 public:
  /// Maps the whole of `path`; an empty file is fine. Throws as `open_regular_file` does.
  explicit MappedFile(const std::filesystem::path& path, Links links = Links::followed);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Returns the file's content; stays at the same address when the object is moved, valid until it goes.
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gausscse
