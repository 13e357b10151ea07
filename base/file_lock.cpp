#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/process.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = 512;

std::string own_text() {
  return concat("process ", ::getpid(), " on ", host_name(), "\n");
}

/// Returns the process that holds a lock with this content; nothing where the content is not exactly that of a lock.
std::optional<std::string> holder_in(std::string_view text) {
  constexpr std::string_view process = "process ", on = " on ";
  if (text.size() > longest_text || !text.starts_with(process) || text.find('\n') != text.size() - 1)
    return std::nullopt;
  text.remove_suffix(1);
  const std::string_view behind = text.substr(process.size());
  const std::size_t digits = behind.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const std::string_view host = behind.substr(digits);
  if (!host.starts_with(on) || host.size() == on.size()) return std::nullopt;
  return std::string(text);
}

/// Returns the process in such a text, where it is one of this host.
std::optional<std::int64_t> local_process_in(std::string_view text) {
  const auto holder = holder_in(text);
  std::int64_t process = 0;
  if (!holder) return std::nullopt;
  const char* digits = holder->data() + std::string_view("process ").size();
  if (std::from_chars(digits, holder->data() + holder->size(), process).ec != std::errc()) return std::nullopt;
  return *holder == concat("process ", process, " on ", host_name()) ? std::optional(process) : std::nullopt;
}

/// Returns the file at `path` itself, not one that a link there leads to; opening it waits for nothing.
FileDescriptor open_existing(const fs::path& path) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  return FileDescriptor(descriptor);
}

bool is_regular(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Reads up to one byte more than a lock may have.
std::string content_of(const FileDescriptor& file) {
  std::string content(longest_text + 1, '\0');
  const ssize_t count = ::pread(file.get(), content.data(), content.size(), 0);
  content.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return content;
}

/// Returns whether `path` still names the open file; its holder may have removed it between opening and locking.
bool is_still(const fs::path& path, const FileDescriptor& file) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file.get(), &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

/// Returns 0, or the error number of the system.
int flock_now(const FileDescriptor& file) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

[[noreturn]] void throw_unwritable(const fs::path& path, const char* call, int code) {
  throw WriteError(file_calls::refused_write_text(path, call, code));
}

[[noreturn]] void refuse_other(const fs::path& path, std::string_view what) {
  throw InputError(
      concat(path.string(), " is in the way: ", what, ", not a lock that gausscse left, and is not removed: move it"));
}

}  // namespace

FileLock::FileLock(const fs::path& path, const LookAgain& look_again) : path_(path), text_(own_text()) {
  std::error_code ignored;
  while (fs::exists(fs::symlink_status(path_, ignored)) || !make()) remove_stale(look_again);
}

/// Makes the file whole and locked under another name, and then gives it its own. A process that finds it there finds
/// its holder's name in it, whenever this process is killed. Returns false where something has the name already.
bool FileLock::make() {
  const fs::path temporary = temporary_sibling(path_);
  FileDescriptor file = file_calls::create_file(temporary);
  const RemovedAtEnd other_name(temporary);
  file_calls::write_all(file, text_, temporary);
  // Other hosts see an empty file until then.
  file_calls::sync(file, temporary);
  lock(file);
  if (::link(temporary.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST) return false;
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) return make_in_place();
    throw_unwritable(path_, "link", errno);
  }
  file_ = std::move(file);
  return true;
}

/// Makes the lock where files have one name only. A process that is killed before the write leaves an empty file, which
/// the user has to remove.
bool FileLock::make_in_place() {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && (errno == EEXIST || errno == EINTR)) return false;
  if (descriptor < 0) throw_unwritable(path_, "open", errno);
  file_ = FileDescriptor(descriptor);
  lock(file_);
  try {
    file_calls::write_all(file_, text_, path_);
    file_calls::sync(file_, path_);
  } catch (const WriteError&) {
    ::unlink(path_.c_str());
    throw;
  }
  return true;
}

void FileLock::lock(const FileDescriptor& file) {
  exclusive_ = flock_now(file) == 0;
}

/// Removes a lock whose holder died; nothing is done where the file has gone meanwhile, or is to be looked at again.
void FileLock::remove_stale(const LookAgain& look_again) {
  const FileDescriptor file = open_existing(path_);
  if (file.get() < 0 && errno == ENOENT) return;
  if (file.get() < 0 && errno != ELOOP && errno != EISDIR && errno != ENXIO) throw_unwritable(path_, "open", errno);
  if (file.get() < 0 || !is_regular(file)) refuse_other(path_, "it is a symbolic link, a folder or the like");
  const std::optional<std::string> holder = holder_in(content_of(file));
  if (!holder) refuse_other(path_, "it holds something else or nothing");
  const int error = flock_now(file);
  if (!is_still(path_, file)) return;
  if (error == EWOULDBLOCK) {
    if (look_again && look_again(*holder)) return;
    throw InputError(concat(path_.parent_path().string(), " is in use by another run (", *holder,
                            "), and two would overwrite each other: wait for it to end"));
  }
  // Without locks nobody can know whether the holder died.
  stale_holder_ = holder;
  // Only the process with the lock of the file at this name removes it.
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw_unwritable(path_, "unlink", errno);
}

FileLock::~FileLock() {
  const FileDescriptor there = open_existing(path_);
  if (there.get() >= 0 && is_still(path_, file_) && content_of(there) == text_) ::unlink(path_.c_str());
}

bool is_lock_held(const fs::path& path) {
  const FileDescriptor file = open_existing(path);
  return file.get() >= 0 && is_regular(file) && flock_now(file) != 0;
}

std::optional<std::int64_t> local_holder_of_lock(const fs::path& path) {
  const FileDescriptor file = open_existing(path);
  if (file.get() < 0 || !is_regular(file) || flock_now(file) != EWOULDBLOCK) return std::nullopt;
  return local_process_in(content_of(file));
}

}  // namespace gausscse
