#include "base/cache_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/atomic_file.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

OpenFile open_own_cache(const std::filesystem::path& path) {
  OpenFile file = open_regular_file(path);
  struct stat status {};
  if (::fstat(file.descriptor.get(), &status) != 0) throw SystemError(errno_text(errno));
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    throw ForeignCache(concat("it belongs to another user (number ", status.st_uid, ")"));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) throw ForeignCache("other users may write it");
  return file;
}

void write_own_cache(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  using std::filesystem::perms;
  std::filesystem::create_directories(path.parent_path());
  remove_abandoned_siblings(path);
  write_file_atomically(path, parts);
  std::filesystem::permissions(path, perms::group_write | perms::others_write, std::filesystem::perm_options::remove);
}

}  // namespace gausscse
