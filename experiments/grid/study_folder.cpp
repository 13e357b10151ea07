#include "experiments/grid/study_folder.hpp"

#include <sys/stat.h>

#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/grid/generations.hpp"
#include "experiments/results/json_report_reader.hpp"
#include "experiments/study/plan_file.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::array folders = {study_layout::trials, study_layout::unfinished, study_layout::claims,
                                study_layout::failed};

std::optional<std::string> text_of(const fs::path& file) {
  try {
    return read_whole_file(file, std::size_t{64} << 20);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// What tells a record from one that replaces it; nothing where there is none.
std::optional<std::string> name_of_record(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return concat(status.st_ino, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

}  // namespace

/// Without a plan it may be empty, or hold what a worker made that was ended before it wrote one.
void check_study_folder(const fs::path& results, const std::string& study, const std::string& manifest_text) {
  std::error_code error;
  const fs::file_status status = fs::status(results, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status))
    throw InputError(concat("--results ", results.string(), " is no folder: give another one"));
  if (fs::exists(results / study_layout::plan)) {
    const PlanFile plan = read_plan(results / study_layout::plan);
    if (plan.study == study) return;
    throw InputError(concat(results.string(), " holds the study ", quoted(plan.study), ", and the manifest's is ",
                            quoted(study), ": give another --results"));
  }
  const std::set<std::string> own(folders.begin(), folders.end());
  for (const std::string& name : names_in(results))
    if (own.count(name) == 0 && !name.starts_with(concat(study_layout::plan, ".tmp-")) &&
        !name.starts_with(concat(study_layout::manifest, ".tmp-")) &&
        !(name == study_layout::manifest && text_of(results / name) == manifest_text))
      throw InputError(concat(results.string(), " is no folder of results of a study: it holds ", quoted(name),
                              " and no ", study_layout::plan, ": give a new folder as --results"));
}

void make_study_folders(const fs::path& results) {
  for (const char* folder : folders) {
    std::error_code error;
    fs::create_directories(results / folder, error);
    if (error)
      throw WriteError(concat("--results ", results.string(), " cannot be written to: cannot make ",
                              (results / folder).string(), ": ", error.message()));
  }
}

std::optional<RunRecord> check_done_trial(const fs::path& folder, std::string& problem) {
  try {
    RunRecord run = read_run_record(folder / study_layout::run_record);
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(folder / study_layout::result, error);
    if (!error && bytes == run.result_bytes) return run;
    problem = error ? concat((folder / study_layout::result).string(), ": ", error.message())
                    : concat((folder / study_layout::result).string(), " has ", bytes, " bytes where ",
                             run.result_bytes, " were written");
  } catch (const InputError& bad) {
    problem = bad.what();
  }
  return std::nullopt;
}

void look_at_study(const fs::path& results, StudyState& state) {
  std::map<std::string, RunRecord> known = std::move(state.done);
  state = {};
  for (std::string& identity : names_in(results / study_layout::trials)) {
    std::string problem;
    if (auto found = known.extract(identity))
      state.done.insert(std::move(found));
    else if (auto run = check_done_trial(study_layout::done_folder(results, identity), problem))
      state.done.emplace(std::move(identity), std::move(*run));
    else
      state.damaged.emplace(std::move(identity), std::move(problem));
  }
  for (const std::string& name : names_in(results / study_layout::failed)) {
    if (!name.ends_with(".json")) continue;
    const std::string identity = name.substr(0, name.size() - 5);
    if (auto record = name_of_record(study_layout::failure_file(results, identity)))
      state.failed.emplace(identity, std::move(*record));
  }
}

StudyState look_at_trial(const fs::path& results, const std::string& identity) {
  StudyState state;
  const fs::path folder = study_layout::done_folder(results, identity);
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error))) {
    std::string problem;
    if (auto run = check_done_trial(folder, problem))
      state.done.emplace(identity, std::move(*run));
    else
      state.damaged.emplace(identity, std::move(problem));
  }
  if (auto record = name_of_record(study_layout::failure_file(results, identity)))
    state.failed.emplace(identity, std::move(*record));
  return state;
}

EarlierTrials earlier_trials_in(const fs::path& results, const std::set<std::string>& retried) {
  const auto figure = [results](const PlannedTrial& trial, const std::string& name) -> std::optional<double> {
    std::string problem;
    const fs::path folder = study_layout::done_folder(results, trial.identity);
    if (trial.identity.empty() || !check_done_trial(folder, problem)) return std::nullopt;
    StudyTrial done;
    done.status = TrialStatus::done;
    done.kept = read_json_report(folder / study_layout::report);
    const std::optional<Figure> found = figure_of(done, name);
    return found ? found->value : std::numeric_limits<double>::quiet_NaN();
  };
  const auto failed = [results, retried](const PlannedTrial& trial) {
    return retried.count(trial.identity) == 0 &&
           name_of_record(study_layout::failure_file(results, trial.identity)).has_value();
  };
  return {figure, failed};
}

}  // namespace gausscse
