#pragma once

#include <filesystem>

namespace gausscse::detail {

/// Folder of this process for Open MPI's shared memory, 4 MiB a rank. Open MPI itself puts the files into /dev/shm,
/// where they stay if all ranks of a node are killed. An object makes a folder in `parent`, whose name has the user,
/// host, process and its start, and names it to Open MPI by the environment. First it removes those of processes that
/// have ended. It does nothing where the environment names a folder already, or where none can be made.
class SharedMemoryFolder {
 public:
  /// To be made before MPI starts.
  explicit SharedMemoryFolder(const std::filesystem::path& parent = "/dev/shm");
  SharedMemoryFolder(const SharedMemoryFolder&) = delete;
  SharedMemoryFolder& operator=(const SharedMemoryFolder&) = delete;
  /// Removes the folder; MPI has ended, or ends with the process.
  ~SharedMemoryFolder();

  /// Returns the folder; empty where there is none.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gausscse::detail
