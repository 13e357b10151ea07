#include "experiments/worker/study_folder.hpp"

#include <sys/stat.h>

#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::array folders = {study_layout::trials, study_layout::unfinished, study_layout::claims,
                                study_layout::failed};
/// Other names that a study's folder may hold where its plan was moved away.
constexpr std::array names_beside_a_plan = {study_layout::set_aside, study_layout::index};

/// Returns a name that distinguishes a record from one that replaces it; nothing where there is none.
std::optional<std::string> name_of_record(const fs::path& file, const World& world) {
  struct stat status {};
  if (world.status(file, status) != 0) return std::nullopt;
  return concat(status.st_ino, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

}  // namespace

/// Checks the folder. Without a plan it may be empty, or hold files of a worker that was ended before it wrote one.
void check_study_folder(const fs::path& results, const std::string& study, const std::string& manifest_text) {
  std::error_code error;
  const fs::file_status status = fs::status(results, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status))
    throw InputError(concat("--results ", results.string(), " is no folder: give another one"));
  if (fs::exists(fs::symlink_status(results / study_layout::plan, error))) {
    const PlanFile plan = read_plan(results / study_layout::plan);
    if (plan.study == study) return;
    throw InputError(concat(results.string(), " holds the study ", quoted(plan.study), ", and the manifest's is ",
                            quoted(study), ": give another --results"));
  }
  std::set<std::string> own(folders.begin(), folders.end());
  own.insert(names_beside_a_plan.begin(), names_beside_a_plan.end());
  for (const std::string& name : names_in(results))
    if (own.count(name) == 0 && !name.starts_with(concat(study_layout::plan, ".tmp-")) &&
        !name.starts_with(concat(study_layout::manifest, ".tmp-")) &&
        !(name == study_layout::manifest && holds_text(results / name, manifest_text)))
      throw InputError(concat(results.string(), " is no folder of results of a study: it holds ", quoted(name),
                              " and no ", study_layout::plan, ": give a new folder as --results"));
}

void make_study_folders(const fs::path& results, const World& world) {
  for (const char* folder : folders) {
    if (const std::error_code error = world.make_folders(results / folder))
      throw WriteError(concat("--results ", results.string(), " cannot be written to: cannot make ",
                              (results / folder).string(), ": ", error.message(),
                              file_calls::write_remedy(results / folder, error.value())));
  }
}

namespace {

/// Reads the folder of a done trial and enters it as done or damaged.
void enter_done(const fs::path& results, const std::string& identity, StudyState& state, const World& world) {
  try {
    DoneTrial done = read_done_trial(study_layout::done_folder(results, identity), world);
    state.doubts.add(study_layout::done_folder(results, identity), done);
    if (kept_untrained_state(done.run, done.kept)) state.untrained.insert(identity);
    state.done.emplace(identity, std::move(done.run));
  } catch (const InputError& error) {
    state.damaged.emplace(identity, error.what());
  }
}

}  // namespace

void look_at_study(const fs::path& results, StudyState& state, const World& world) {
  StudyState known = std::exchange(state, {});
  state.doubts = std::move(known.doubts);
  for (const std::string& identity : names_in(results / study_layout::trials, world)) {
    if (known.untrained.contains(identity)) state.untrained.insert(identity);
    if (auto found = known.done.extract(identity))
      state.done.insert(std::move(found));
    else
      enter_done(results, identity, state, world);
  }
  for (const std::string& name : names_in(results / study_layout::failed, world)) {
    if (!name.ends_with(".json")) continue;
    const std::string identity = name.substr(0, name.size() - 5);
    if (auto record = name_of_record(study_layout::failure_file(results, identity), world))
      state.failed.emplace(identity, std::move(*record));
  }
}

std::vector<std::string> doubts_about(const fs::path& results, std::vector<std::string> of_trials) {
  const fs::path plan = results / study_layout::plan;
  std::error_code error;
  if (fs::exists(fs::symlink_status(plan, error)) && !read_plan(plan).is_checked)
    of_trials.insert(of_trials.begin(), unchecked_text(plan, 1));
  if (std::string problem = index_problem(results); !problem.empty()) of_trials.push_back(std::move(problem));
  return of_trials;
}

StudyState look_at_trial(const fs::path& results, const std::string& identity, const World& world) {
  StudyState state;
  struct stat status {};
  if (world.status(study_layout::done_folder(results, identity), status) == 0)
    enter_done(results, identity, state, world);
  if (auto record = name_of_record(study_layout::failure_file(results, identity), world))
    state.failed.emplace(identity, std::move(*record));
  return state;
}

EarlierTrials earlier_trials_in(const fs::path& results, const std::set<std::string>& retried) {
  // A planning asks for the metric of a trial once for each that it is chosen for.
  const auto read = std::make_shared<std::map<std::string, StudyTrial>>();
  const auto metric = [results, read](const PlannedTrial& trial, const std::string& name) -> std::optional<double> {
    const auto [known, is_new] = read->try_emplace(trial.identity);
    StudyTrial& done = known->second;
    if (is_new && !trial.identity.empty()) {
      try {
        done.kept = read_done_trial(study_layout::done_folder(results, trial.identity)).kept;
        done.status = TrialStatus::done;
      } catch (const InputError&) {
      }
    }
    if (done.status != TrialStatus::done) return std::nullopt;
    const std::optional<Metric> found = metric_of(done, name);
    return found ? found->value : std::numeric_limits<double>::quiet_NaN();
  };
  const auto failed = [results, retried](const PlannedTrial& trial) {
    return retried.count(trial.identity) == 0 &&
           name_of_record(study_layout::failure_file(results, trial.identity), real_world()).has_value();
  };
  return {metric, failed};
}

void remove_leftovers_of_workers(const std::filesystem::path& results, const StudyState& state, const World& world) {
  remove_abandoned(results, [](std::string_view name) {
    return name == study_layout::plan || name == study_layout::manifest || name == study_layout::index;
  });
  remove_abandoned(results / study_layout::failed, [](std::string_view name) { return name.ends_with(".json"); });
  remove_left_folders(
      results, [&](const std::string& identity) { return state.done.contains(identity); }, world);
}

}  // namespace gausscse
