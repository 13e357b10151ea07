#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace gausscse {

/// Open POSIX file descriptor with one owner, who closes it at the end, ignoring errors. Empty when it holds -1.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    FileDescriptor old(std::exchange(descriptor_, other.release()));
    return *this;
  }
  ~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

/// Mapped memory with one owner, who unmaps it at the end. Stays at its address when it is moved.
class Mapping {
 public:
  Mapping() = default;
  /// `address` is the result of mmap for `size` bytes.
  Mapping(void* address, std::size_t size) : data_(static_cast<char*>(address)), size_(size) {}
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping() {
    if (data_) ::munmap(data_, size_);
  }
  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gausscse

/// The system calls of which the atomic writers are made. Each retries where a signal interrupted it, and throws
/// WriteError with the path, the call and the system's text where it fails.
namespace gausscse::file_calls {

/// Returns ": REMEDY" for the error number of a write to `path` that the system refused, for the end of a message: no
/// room, no permission, a file system mounted read-only. Empty for an error without a remedy.
std::string write_remedy(const std::filesystem::path& path, int code);
/// Returns "cannot write PATH: CALL: WHY: REMEDY".
std::string refused_write_text(const std::filesystem::path& path, const char* call, int code);

/// Makes a new empty file; an existing one is an error.
FileDescriptor create_file(const std::filesystem::path& path);
/// Writes all of `bytes`, in as many calls as it takes. `path` is for messages, here and below.
void write_all(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path);
/// Waits until the content of a file, or the names in a folder, are on the disk.
void sync(const FileDescriptor& file, const std::filesystem::path& path);
/// Closes and reports the errors that the file system had kept back until then.
void close(FileDescriptor file, const std::filesystem::path& path);

/// Returns the folder that a path's last name is in: "." for a bare name.
inline std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

FileDescriptor open_for_sync(const std::filesystem::path& path);
void make_folder(const std::filesystem::path& path);
void rename(const std::filesystem::path& from, const std::filesystem::path& to);
/// Swaps two existing paths in one step; false, with nothing done, where the file system cannot.
bool exchange(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace gausscse::file_calls
