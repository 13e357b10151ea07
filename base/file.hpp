#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace gausscse {

/// The bytes of a regular file of at most `max_bytes`. Throws InputError, naming the path and the reason, where it is
/// missing, a folder, not a regular file (a pipe could wait for ever), unreadable or larger; SystemError where the
/// machine fails to read it.
std::string read_whole_file(const std::filesystem::path& path, std::size_t max_bytes);

/// A regular file mapped read-only into memory. The file must not shrink while it is mapped: pages that are gone end
/// the process with SIGBUS. Replacing it by rename is fine.
class MappedFile {
 public:
  /// Maps the whole of `path`; an empty file is fine. Throws as `read_whole_file` does.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// The file's content; stays at the same address when the object is moved, valid until it goes.
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gausscse
