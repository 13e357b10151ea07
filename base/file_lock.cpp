#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/host_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

std::string own_name() {
  return concat("process ", ::getpid(), " on ", host_name());
}

std::string content_of(const FileDescriptor& file) {
  char text[512];
  const ssize_t count = ::pread(file.get(), text, sizeof text, 0);
  std::string content(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

/// Whether `path` still names the open file; its holder may have removed it between opening and locking.
bool is_still(const fs::path& path, const FileDescriptor& file) {
  struct stat named {};
  struct stat open {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(file.get(), &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

}  // namespace

FileLock::FileLock(const fs::path& path) : path_(path) {
  while (true) {
    file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file_.get() < 0 && errno == EINTR) continue;
    if (file_.get() < 0) throw WriteError(concat("cannot write ", path.string(), ": open: ", errno_text(errno)));
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK)
        throw InputError(concat(path.parent_path().string(), " is in use by another run (", content_of(file_),
                                "), and two would overwrite each other"));
      exclusive_ = false;
      break;
    }
    if (is_still(path, file_)) break;
  }
  const std::string before = content_of(file_);
  if (!before.empty()) stale_holder_ = before;
  // The name is for messages; the lock holds without it.
  const std::string name = own_name() + "\n";
  if (::ftruncate(file_.get(), 0) == 0 && ::pwrite(file_.get(), name.data(), name.size(), 0) < 0)
    static_cast<void>(::ftruncate(file_.get(), 0));
}

FileLock::~FileLock() {
  ::unlink(path_.c_str());
}

}  // namespace gausscse
