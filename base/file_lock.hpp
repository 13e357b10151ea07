#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/file_calls.hpp"

namespace gausscse {

/// Lock file that is held for as long as the object lives, so that two jobs do not write to the same folder. The lock
/// is the kernel's (flock), which ends with its process however that dies: a file that a killed job left behind locks
/// nothing.
///
/// A lock file holds the line "process <number> on <host>" from the moment that it has its name, and is never written
/// to again. A file with another content, or empty, is not a lock, and is neither changed nor removed.
class FileLock {
 public:
  /// Asked where another process has the lock, with process and host of it; true: look once more.
  using LookAgain = std::function<bool(const std::string& holder)>;

  /// Makes `path` and locks it; takes the place of a lock whose holder died. Throws InputError, with host and process
  /// of the holder, where another process has it and `look_again`, if there is one, says no. Also where anything but a
  /// lock is at `path` (a symbolic link is not followed). Both messages end with the remedy. Throws WriteError where
  /// the file cannot be made.
  explicit FileLock(const std::filesystem::path& path, const LookAgain& look_again = {});
  /// Removes the file, if it is still the one that was made.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Returns host and process of a holder that died without removing the file; nothing where there was none.
  const std::optional<std::string>& stale_holder() const { return stale_holder_; }
  /// Returns false where the file system has no locks: nothing keeps a second job away then.
  bool is_exclusive() const { return exclusive_; }

 private:
  bool make();
  bool make_in_place();
  void lock(const FileDescriptor& file);
  void remove_stale(const LookAgain& look_again);

  std::filesystem::path path_;
  std::string text_;
  FileDescriptor file_;
  std::optional<std::string> stale_holder_;
  bool exclusive_ = true;
};

/// Returns whether a process, of any host, has the lock at `path`, or may have it where the file system has no locks.
/// False where no lock is there. A symbolic link is not followed.
bool is_lock_held(const std::filesystem::path& path);

/// Returns the process of this host that has the lock at `path`; nothing where no process has it, one of another host
/// has it, or no lock is there. A symbolic link is not followed.
std::optional<std::int64_t> local_holder_of_lock(const std::filesystem::path& path);

}  // namespace gausscse
