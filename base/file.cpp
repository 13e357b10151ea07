#include "base/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/process.hpp"
#include "base/world.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw InputError(concat(path.string(), ": ", why));
}

[[noreturn]] void throw_failed(const fs::path& path, const char* call, int code) {
  throw SystemError(concat("cannot read ", path.string(), ": ", call, ": ", errno_text(code)));
}

}  // namespace

OpenFile open_regular_file(const World& world, const fs::path& path, Links links) {
  int raw;
  // O_NONBLOCK: opening a pipe without a writer must not wait; for regular files it changes nothing.
  const fs::path opened = kept_input(path).value_or(path);
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
  do raw = world.open(opened, flags);
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
  if (world.status(raw, status) != 0) throw_failed(path, "fstat", errno);
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder where a file is needed: give the file in it");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file: copy its content into one");
  file.size = static_cast<std::size_t>(status.st_size);
  return file;
}

std::size_t read_some(const World& world, const OpenFile& file, char* buffer, std::size_t capacity,
                      const fs::path& path) {
  while (true) {
    const ssize_t got = world.read(file.descriptor.get(), buffer, capacity, -1);
    if (got >= 0) {
      count_work();
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) throw_failed(path, "read", errno);
  }
}

std::string read_whole_file(const World& world, const fs::path& path, std::size_t max_bytes, Links links) {
  const OpenFile file = open_regular_file(world, path, links);
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
    const std::size_t got = read_some(world, file, bytes.data() + used, bytes.size() - used, path);
    if (got == 0) break;
    used += got;
    if (used > max_bytes) refuse_size();
  }
  bytes.resize(used);
  return bytes;
}

OpenFile open_regular_file(const fs::path& path, Links links) {
  return open_regular_file(real_world(), path, links);
}

std::size_t read_some(const OpenFile& file, char* buffer, std::size_t capacity, const fs::path& path) {
  return read_some(real_world(), file, buffer, capacity, path);
}

std::string read_whole_file(const fs::path& path, std::size_t max_bytes, Links links) {
  return read_whole_file(real_world(), path, max_bytes, links);
}

MappedFile::MappedFile(const fs::path& path, Links links) {
  const OpenFile file = open_regular_file(path, links);
  if (file.size == 0) return;
  void* address = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), 0);
  if (address == MAP_FAILED) throw_failed(path, "mmap", errno);
  mapping_ = Mapping(address, file.size);
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
