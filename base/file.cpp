#include "base/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw InputError(concat(path.string(), ": ", why));
}

[[noreturn]] void throw_failed(const fs::path& path, const char* call, int code) {
  throw SystemError(concat("cannot read ", path.string(), ": ", call, ": ", errno_text(code)));
}

struct KeptInputs {
  std::mutex mutex;
  std::map<std::string, FileDescriptor> files;
};

KeptInputs& kept_inputs() {
  static KeptInputs kept;
  return kept;
}

/// Returns a new file without a name, in memory where there is no folder for temporary files that can have one.
FileDescriptor private_file() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  int file = error ? -1 : ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) file = ::memfd_create("gausscse input", MFD_CLOEXEC);
  if (file < 0) throw SystemError(concat("cannot make a temporary file: ", errno_text(errno)));
  return FileDescriptor(file);
}

void write_all(int file, const char* bytes, std::size_t count, const fs::path& input) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
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
  FileDescriptor copy = private_file();
  std::vector<char> piece(std::size_t{1} << 20);
  while (true) {
    const ssize_t got = ::read(input.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path.string(), ": ", errno_text(errno)));
    if (got == 0) return copy;
    write_all(copy.get(), piece.data(), static_cast<std::size_t>(got), path);
  }
}

}  // namespace

OpenFile open_regular_file(const fs::path& path, Links links) {
  int raw;
  // O_NONBLOCK: opening a pipe without a writer must not wait; for regular files it changes nothing.
  const fs::path opened = kept_input(path).value_or(path);
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
  do raw = ::open(opened.c_str(), flags);
  while (raw < 0 && errno == EINTR);
  if (raw < 0) {
    switch (const int code = errno) {
      case ENOENT:
      case ENOTDIR:
        if (const std::string lost = lost_pipe_text(path); !lost.empty()) refuse(path, "no such file: " + lost);
        refuse(path, "no such file: check the path (relative ones count from the folder they are read in)");
      case EACCES:
      case EPERM:
        refuse(path, "may not be read: check the permissions of the file and of the folders above it");
      case ELOOP:
        if (links == Links::refused)
          refuse(path,
                 "is a symbolic link, and no link is followed in a folder that others may write to: put the file "
                 "itself in its place");
        [[fallthrough]];
      case ENAMETOOLONG:
      case ENXIO:
      case EINVAL:
        refuse(path, concat("cannot be opened: ", errno_text(code)));
      default:
        throw_failed(path, "open", code);
    }
  }
  OpenFile file{FileDescriptor(raw), 0};
  struct stat status {};
  if (::fstat(raw, &status) != 0) throw_failed(path, "fstat", errno);
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder where a file is needed: give the file in it");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file: copy its content into one");
  file.size = static_cast<std::size_t>(status.st_size);
  return file;
}

std::size_t read_some(const OpenFile& file, char* buffer, std::size_t capacity, const fs::path& path) {
  while (true) {
    const ssize_t got = ::read(file.descriptor.get(), buffer, capacity);
    if (got >= 0) {
      count_work();
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) throw_failed(path, "read", errno);
  }
}

std::string read_whole_file(const fs::path& path, std::size_t max_bytes, Links links) {
  const OpenFile file = open_regular_file(path, links);
  const auto refuse_size = [&] {
    refuse(path, concat("is larger than ", max_bytes,
                        " bytes, the most that is read of such a file: check that it is "
                        "the right one"));
  };
  if (file.size > max_bytes) refuse_size();
  std::string bytes;
  std::size_t used = 0;
  // The size is a hint only: the file may grow while it is read, and files of /proc say 0.
  while (true) {
    if (used == bytes.size()) bytes.resize(std::max(file.size + 1, used + std::max<std::size_t>(used / 2, 4096)));
    const std::size_t got = read_some(file, bytes.data() + used, bytes.size() - used, path);
    if (got == 0) break;
    used += got;
    if (used > max_bytes) refuse_size();
  }
  bytes.resize(used);
  return bytes;
}

MappedFile::MappedFile(const fs::path& path, Links links) {
  const OpenFile file = open_regular_file(path, links);
  if (file.size == 0) return;
  void* address = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), 0);
  if (address == MAP_FAILED) throw_failed(path, "mmap", errno);
  mapping_ = Mapping(address, file.size);
}

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

std::uint64_t bytes_of_folder(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error); !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || entry->is_symlink(ignored)) continue;
    const std::uint64_t size = entry->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace gausscse
