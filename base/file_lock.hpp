#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file_descriptor.hpp"

namespace gausscse {

/// Holds a lock file for as long as the object lives, so that two jobs do not write to the same folder. The lock is the
/// kernel's (flock), which ends with its process however that dies: a file that a killed job left behind locks nothing.
class FileLock {
 public:
  /// Makes `path` and locks it. Throws InputError, with host and process of the holder, where another process has it;
  /// WriteError where the file cannot be made.
  explicit FileLock(const std::filesystem::path& path);
  /// Removes the file.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Host and process of a holder that died without removing the file; nothing where there was none.
  const std::optional<std::string>& stale_holder() const { return stale_holder_; }
  /// False where the file system has no locks: nothing keeps a second job away then.
  bool is_exclusive() const { return exclusive_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::optional<std::string> stale_holder_;
  bool exclusive_ = true;
};

}  // namespace gausscse
