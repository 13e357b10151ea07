#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/file.hpp"

namespace gausscse {

/// A large file in memory of this process, which is read piece by piece as it is needed:
///
///     PartialCopy copy("index");
///     copy.read(0, 1000);  // copy.bytes().substr(0, 1000) is there now; the rest is zeros, which take no memory
///
/// What happens to the file changes nothing that was read, and a file that was cut short is an error, not a signal.
class PartialCopy {
 public:
  /// Opens a regular file and reads nothing. Throws as `open_regular_file`, and SystemError where there are no
  /// addresses.
  explicit PartialCopy(const std::filesystem::path& path);
  PartialCopy(PartialCopy&& other) noexcept;
  PartialCopy& operator=(PartialCopy&& other) noexcept;
  ~PartialCopy();

  /// Returns as many bytes as the file had when it was opened. They stay at the same address when the object is moved.
  std::string_view bytes() const { return {data_, file_.size}; }

  /// Reads `count` bytes from `begin` on, again where they have been read already. Not for two threads at the same
  /// bytes. Throws InputError where the file ends before, SystemError where the machine fails.
  void read(std::size_t begin, std::size_t count);

 private:
  std::filesystem::path path_;
  OpenFile file_;
  char* data_ = nullptr;
};

}  // namespace gausscse
