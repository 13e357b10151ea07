#include "experiments/worker/manifest_watch.hpp"

#include <sys/stat.h>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "experiments/study/plan_file.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

ManifestWatch::ManifestWatch(std::filesystem::path file, const std::string& text, const std::filesystem::path& results)
    : file_(std::move(file)), plan_(results / study_layout::plan), hash_(content_hash_of(text)) {}

bool ManifestWatch::is_touched(const std::filesystem::path& file, std::string& seen) const {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return false;
  const std::string now = concat(status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec, ".",
                                 status.st_mtim.tv_nsec, " ", status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
  if (now == seen) return false;
  seen = now;
  return true;
}

std::optional<std::string> ManifestWatch::change() {
  try {
    if (is_touched(file_, file_seen_) && content_hash(file_) != hash_) {
      file_seen_.clear();
      return concat(file_.string(), " has changed since this worker started");
    }
    if (is_touched(plan_, plan_seen_) && read_plan(plan_).manifest_hash != hash_) {
      plan_seen_.clear();
      return concat(plan_.parent_path().string(), " is now run with another text of the manifest");
    }
  } catch (const InputError&) {
    // It is being replaced, or gone.
  } catch (const SystemError&) {
  }
  return std::nullopt;
}

}  // namespace gausscse
