#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

struct KeptInputs {
  std::mutex mutex;
  std::map<std::string, FileDescriptor> files;
};

KeptInputs& kept_inputs() {
  static KeptInputs kept;
  return kept;
}

/// Returns a new file without a name in the folder for temporary files. It is never in memory: an input may be of any
/// length.
FileDescriptor private_file(const fs::path& input) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  int file = -1;
  if (!error) file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (!error && file < 0) {
    // Network file systems know no files without a name.
    std::string name = (folder / "gausscse-input-XXXXXX").string();
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file < 0)
    throw WriteError(concat(input.string(),
                            ": is a pipe, whose content is kept in a temporary file, and none can be made: ",
                            error ? error.message() : concat(folder.string(), ": ", errno_text(errno)),
                            ": set TMPDIR to a folder with room for it, or give a file"));
  return FileDescriptor(file);
}

/// Bytes between two looks at the room that is left.
constexpr std::uint64_t look_every = std::uint64_t{16} << 20;

/// Throws WriteError where `kept`, of so many bytes, leaves too little room in its file system: other programs need
/// 1/16 of it, at most 1 GiB. An input without end would fill it.
void check_room(const FileDescriptor& kept, std::uint64_t bytes, const fs::path& input) {
  struct statvfs room {};
  if (::fstatvfs(kept.get(), &room) != 0 || room.f_blocks == 0) return;
  const std::uint64_t left = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (left >= std::min(std::uint64_t{room.f_blocks} * room.f_frsize / 16, std::uint64_t{1} << 30)) return;
  throw WriteError(concat(input.string(), ": has given ", bytes >> 20, " MiB so far and has not ended, and only ",
                          left >> 20,
                          " MiB are left where it is kept: set TMPDIR to a folder with more room, or give a file"));
}

void write_copy(const FileDescriptor& copy, const char* bytes, std::size_t count, const fs::path& input) {
  while (count > 0) {
    const ssize_t written = ::write(copy.get(), bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw WriteError(concat("what ", input.string(), " gives cannot be kept in a temporary file: ", errno_text(errno),
                              ": set TMPDIR to a folder with room for it"));
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

FileDescriptor opened(const fs::path& path) {
  int input;
  do input = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (input < 0 && errno == EINTR);
  if (input < 0) throw InputError(concat(path.string(), ": cannot be opened: ", errno_text(errno)));
  return FileDescriptor(input);
}

FileDescriptor copy_of(const fs::path& path) {
  const FileDescriptor input = opened(path);
  FileDescriptor copy = private_file(path);
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t bytes = 0;
  while (true) {
    const ssize_t got = ::read(input.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
    if (got == 0) return copy;
    const std::uint64_t before = bytes;
    bytes += static_cast<std::uint64_t>(got);
    write_copy(copy, piece.data(), static_cast<std::size_t>(got), path);
    if (bytes / look_every > before / look_every) check_room(copy, bytes, path);
  }
}

}  // namespace

bool is_piped_input(const fs::path& path) {
  if (path == "-") return true;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) return true;
  // Standard input where nothing is to come from it, or where somebody types; other devices have no end.
  struct stat nothing {};
  if (!S_ISCHR(status.st_mode)) return false;
  if (::stat("/dev/null", &nothing) == 0 && nothing.st_rdev == status.st_rdev) return true;
  const FileDescriptor device(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return ::isatty(device.get()) == 1;
}

void keep_piped_input(const fs::path& path) {
  if (!is_piped_input(path) || kept_input(path)) return;
  FileDescriptor copy = copy_of(path);
  KeptInputs& kept = kept_inputs();
  const std::lock_guard lock(kept.mutex);
  kept.files.emplace(path.string(), std::move(copy));
}

std::string lost_pipe_text(const fs::path& path) {
  const std::string parent = path.parent_path().string();
  const bool is_descriptor = parent == "/dev/fd" || (parent.starts_with("/proc/") && parent.ends_with("/fd"));
  std::error_code ignored;
  if (!is_descriptor || fs::exists(fs::symlink_status(path, ignored))) return {};
  return "this pipe, such as that of <(...), belongs to one process, and the ranks of mpirun cannot read it: copy its "
         "content into a file, or use one process";
}

std::optional<fs::path> kept_input(const fs::path& path) {
  KeptInputs& kept = kept_inputs();
  const std::lock_guard lock(kept.mutex);
  const auto found = kept.files.find(path.string());
  if (found == kept.files.end()) return std::nullopt;
  // Opened again, so that each reader has its own place in the file.
  return concat("/proc/self/fd/", found->second.get());
}

}  // namespace gausscse
