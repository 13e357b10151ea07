#include "experiments/worker/study_planner.hpp"

#include <sys/stat.h>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "experiments/worker/study_folder.hpp"

namespace gausscse {

void StudyPlanner::plan(const std::set<std::string>& retried) {
  trials_ = plan_study(manifest_, earlier_trials_in(results_, retried), content_hash_);
}

void StudyPlanner::write() const {
  PlanFile file{.study = manifest_.name, .manifest_hash = content_hash_of(manifest_.text), .trials = {}};
  for (const StudyPlanEntry& entry : trials_) file.trials.push_back(entry.planned);
  write_plan(results_ / study_layout::plan, file);
  // After the plan, by which the folder is known as the study's.
  write_if_changed(results_ / study_layout::manifest, manifest_.text);
}

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
