#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace gausscse {

/// Returns a name next to `path` that nothing has used yet: `<name>.tmp-<host>-<process>.<start>-<count>`, never the
/// same twice in a process, whose start distinguishes it from others that had its number. Unfinished files and folders
/// have such a name, finished ones never.
std::filesystem::path temporary_sibling(const std::filesystem::path& path);

/// Returns whether this is a whole name that `temporary_sibling` makes, of any process on any host.
bool is_temporary_name(std::string_view name);

/// Removal of a file, such as one under a temporary name, when the object goes; not after `keep`.
class RemovedAtEnd {
 public:
  /// `path` must outlive the object.
  explicit RemovedAtEnd(const std::filesystem::path& path) : path_(path) {}
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;
  ~RemovedAtEnd();
  void keep() { kept_ = true; }

 private:
  const std::filesystem::path& path_;
  bool kept_ = false;
};

/// Temporary files and folders of writers that died.
struct Leftovers {
  std::size_t removed = 0;
  /// Not removed, as they are of other hosts or of a process that may still write
  std::vector<std::filesystem::path> kept;
};

/// Removes the files of writers that died (a kill, a lost node) from `folder`. Those have temporary names of this host,
/// whole names, made for a name that `is_own` accepts, by a process that is gone. Call it where no other machine with
/// this host name writes those.
Leftovers remove_abandoned(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& is_own);

/// Removes abandoned temporary files that were made for `path` alone. Returns their number.
std::size_t remove_abandoned_siblings(const std::filesystem::path& path);

}  // namespace gausscse
