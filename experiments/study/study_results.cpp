#include "experiments/study/study_results.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// Content of a results folder besides its done trials.
struct Unfinished {
  std::map<std::string, std::set<long>> claims, folders;
};

/// Reads the files of a done trial; false where any of them is missing or damaged.
bool read_done(const fs::path& folder, StudyTrial& trial, Doubts& doubts) {
  try {
    DoneTrial done = read_done_trial(folder);
    doubts.add(folder, done);
    trial.kept = std::move(done.kept);
    trial.run = std::move(done.run);
    trial.unprotected = std::move(done.unprotected);
    return true;
  } catch (const InputError& error) {
    trial.problem = error.what();
    return false;
  }
}

/// Returns the folder of a trial that is not done: that of the generation, or the newest that is there.
fs::path unfinished_folder(const fs::path& results, const Unfinished& unfinished, const std::string& identity,
                           std::optional<long> generation) {
  const fs::path folders = results / study_layout::unfinished;
  if (generation) {
    fs::path folder = folders / study_layout::generation_name(identity, *generation);
    if (is_there(folder)) return folder;
  }
  const auto newest = unfinished.folders.find(identity);
  return newest == unfinished.folders.end()
             ? fs::path()
             : folders / study_layout::generation_name(identity, *newest->second.rbegin());
}

void read_failure(const fs::path& results, StudyTrial& trial) {
  const fs::path file = study_layout::failure_file(results, trial.planned.identity);
  if (!is_there(file)) return;
  trial.status = TrialStatus::failed;
  try {
    trial.failure = read_failure_record(file);
  } catch (const InputError& error) {
    trial.failure.emplace().reason = concat("its record cannot be read: ", error.what());
  }
}

std::optional<ReportedProgress> progress_in(const fs::path& folder) {
  if (folder.empty()) return std::nullopt;
  const fs::path file = folder / study_layout::progress;
  const auto progress = read_progress(file);
  std::error_code gone;
  const fs::file_time_type written = fs::last_write_time(file, gone);
  if (!progress || gone) return std::nullopt;
  const std::chrono::duration<double> age = fs::file_time_type::clock::now() - written;
  return ReportedProgress{*progress, std::max(0.0, age.count())};
}

StudyTrial read_trial_of_study(const fs::path& results, const PlannedTrial& planned, const Unfinished& unfinished,
                               Doubts& doubts) {
  StudyTrial trial;
  trial.planned = planned;
  const std::string& identity = planned.identity;
  if (identity.empty()) {
    trial.status = TrialStatus::waiting;
    return trial;
  }
  const fs::path done = study_layout::done_folder(results, identity);
  const bool ended = is_there(done);
  if (ended && read_done(done, trial, doubts)) {
    trial.status = TrialStatus::done;
    trial.folder = done;
  } else if (const auto claim = unfinished.claims.find(identity); claim != unfinished.claims.end()) {
    trial.status = TrialStatus::running;
    trial.folder = unfinished_folder(results, unfinished, identity, *claim->second.rbegin());
    trial.progress = progress_in(trial.folder);
  } else if (ended) {
    trial.status = TrialStatus::damaged;
    trial.folder = done;
  } else if (read_failure(results, trial);
             trial.status != TrialStatus::failed && unfinished.folders.contains(identity)) {
    trial.status = TrialStatus::interrupted;
    trial.folder = unfinished_folder(results, unfinished, identity, std::nullopt);
  }
  return trial;
}

}  // namespace

StudyResults read_study(const fs::path& results) {
  // A folder that may not be entered is not one without a plan: the system's error reaches the user.
  if (!fs::is_directory(results))
    throw InputError(concat(results.string(), ": there is no such folder: give the results folder of a study"));
  if (!fs::exists(fs::symlink_status(results / study_layout::plan)))
    throw InputError(concat(results.string(), ": no results folder of a study: it has no ", study_layout::plan,
                            ", which `gausscse run` writes there"));
  const PlanFile plan = read_plan(results / study_layout::plan);
  StudyResults study = read_trials(results, plan.trials);
  study.study = plan.study;
  study.manifest_hash = plan.manifest_hash;
  if (!plan.is_checked) study.doubts.insert(study.doubts.begin(), unchecked_text(results / study_layout::plan, 1));
  if (std::string problem = index_problem(results); !problem.empty()) study.doubts.push_back(std::move(problem));
  return study;
}

std::string index_problem(const fs::path& results) {
  const fs::path index = results / study_layout::index;
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(index, ignored);
  if (!fs::exists(there) || fs::is_regular_file(there)) return {};
  try {
    open_regular_file(index, Links::refused);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

StudyResults read_trials(const fs::path& results, const std::vector<PlannedTrial>& planned) {
  Unfinished unfinished;
  try {
    unfinished = {generations_in(results / study_layout::claims), generations_in(results / study_layout::unfinished)};
  } catch (const SystemError& error) {
    throw InputError(error.what());
  }
  StudyResults study{.folder = results, .study = {}, .trials = {}};
  Doubts doubts;
  for (const PlannedTrial& trial : planned)
    study.trials.push_back(read_trial_of_study(results, trial, unfinished, doubts));
  study.doubts = doubts.texts();
  return study;
}

std::string manifest_problem(const StudyResults& study) {
  const fs::path file = study.folder / study_layout::manifest;
  // Empty: of results that are no worker's.
  if (study.manifest_hash.empty() || !is_there(file)) return {};
  std::string hash;
  try {
    hash = content_hash(file, Links::refused);
  } catch (const InputError& error) {
    return error.what();
  }
  if (hash == study.manifest_hash) return {};
  return concat(file.string(), ": damaged: it is not the manifest that ", study_layout::plan,
                " was made from (its XXH3-128 is ", hash, ", ", study_layout::plan, " says ", study.manifest_hash,
                "): start `gausscse run` with the study's manifest, which writes both");
}

Manifest read_manifest_of(const StudyResults& study) {
  if (const std::string problem = manifest_problem(study); !problem.empty()) throw InputError(problem);
  Manifest manifest = read_manifest(study.folder / study_layout::manifest, Links::refused);
  for (TableSettings& table : manifest.tables) replace_averages(table, study);
  return manifest;
}

bool kept_untrained_state(const StudyTrial& trial) {
  return trial.status == TrialStatus::done && trial.run && kept_untrained_state(*trial.run, trial.kept);
}

namespace {

/// Returns the result file of a done trial, as it was written. Throws InputError.
fs::path whole_result_of(const StudyTrial& trial) {
  if (trial.status != TrialStatus::done)
    throw InputError(
        concat("the trial ", quoted(title_of(trial.planned)), " has no result: it is ", name_of(trial.status)));
  fs::path file = trial.folder / study_layout::result;
  if (trial.run) check_result_file(file, *trial.run);
  return file;
}

/// Gives the tasks of a result the metrics of the trial's report, which are the same and read already.
void add_reported_metrics(const StudyTrial& trial, StateResult& kept) {
  for (Measurement& task : kept.tasks)
    if (const Measurement* reported = find_measurement(trial.kept.tasks, task.task)) task.metrics = reported->metrics;
}

}  // namespace

RunResult full_result(const StudyTrial& trial, const ResultParts& parts) {
  RunResult result = read_result(whole_result_of(trial), Links::refused, parts);
  if (!parts.kept_metrics && !result.states.empty()) add_reported_metrics(trial, result.states.front());
  return result;
}

StateResult kept_with_columns(const StudyTrial& trial,
                              const std::function<bool(const Measurement&, std::string_view)>& column) {
  StateResult kept =
      read_kept_state(whole_result_of(trial), Links::refused, {.kept_metrics = false, .state = {}, .column = column});
  add_reported_metrics(trial, kept);
  return kept;
}

}  // namespace gausscse
