#include "experiments/worker/study_planner.hpp"

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/study/plan_file.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/study_folder.hpp"

namespace gausscse {

namespace {

bool holds(const std::filesystem::path& file, const std::string& text) {
  try {
    return read_whole_file(file, text.size(), Links::refused) == text;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

StudyPlanner::StudyPlanner(std::filesystem::path results, std::string study, std::string manifest_text, Plan plan)
    : results_(std::move(results)),
      study_(std::move(study)),
      manifest_text_(std::move(manifest_text)),
      plan_(std::move(plan)) {}

StudyPlanner::StudyPlanner(std::filesystem::path results, const Manifest& manifest)
    : StudyPlanner(std::move(results), manifest.name, manifest.text,
                   [manifest, content_hash = remembered_content_hash()](const EarlierTrials& earlier) {
                     return plan_study(manifest, earlier, content_hash);
                   }) {}

void StudyPlanner::plan(const std::set<std::string>& retried) {
  trials_ = plan_(earlier_trials_in(results_, retried));
}

void StudyPlanner::write() const {
  PlanFile file{.study = study_, .manifest_hash = content_hash_of(manifest_text_), .trials = {}};
  for (const StudyPlanEntry& entry : trials_) file.trials.push_back(entry.planned);
  write_plan(results_ / study_layout::plan, file);
  // After the plan, by which the folder is known as the study's.
  const std::filesystem::path manifest = results_ / study_layout::manifest;
  if (!holds(manifest, manifest_text_)) write_file_atomically(manifest, manifest_text_);
}

}  // namespace gausscse
