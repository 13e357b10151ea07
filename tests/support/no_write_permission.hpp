#pragma once

#include <sys/fsuid.h>
#include <unistd.h>

#include <filesystem>

namespace gausscse {

/// A folder that this thread may read and not write to while the object lives. Root, who may write everywhere, opens
/// files as another user meanwhile.
class NoWritePermission {
 public:
  explicit NoWritePermission(const std::filesystem::path& folder) : folder_(folder) {
    // The thread stays in root's group, so that the group's permissions count.
    std::filesystem::permissions(folder_, std::filesystem::perms(0555));
    if (::geteuid() == 0) ::setfsuid(nobody);
  }
  NoWritePermission(const NoWritePermission&) = delete;
  NoWritePermission& operator=(const NoWritePermission&) = delete;
  ~NoWritePermission() {
    if (::geteuid() == 0) ::setfsuid(0);
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
  }

 private:
  static constexpr uid_t nobody = 65534;
  std::filesystem::path folder_;
};

}  // namespace gausscse
