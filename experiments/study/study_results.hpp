#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/choice.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/planned_trial.hpp"
#include "experiments/study/study_records.hpp"
#include "results/measurement.hpp"
#include "results/result_file.hpp"
#include "results/run_result.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

/// Status of a trial of a study.
enum class TrialStatus {
  waiting,      ///< for an earlier stage to choose its settings
  planned,      ///< not begun
  running,      ///< somebody has claimed it (whether that one is alive is for workers to find out)
  interrupted,  ///< begun, and left unfinished by all
  failed,       ///< ended with an error
  damaged,      ///< done, but its result was changed
  done
};

template <>
inline constexpr NameTable<TrialStatus, 7> names<TrialStatus>{{{TrialStatus::waiting, "waiting"},
                                                               {TrialStatus::planned, "planned"},
                                                               {TrialStatus::running, "running"},
                                                               {TrialStatus::interrupted, "interrupted"},
                                                               {TrialStatus::failed, "failed"},
                                                               {TrialStatus::damaged, "damaged"},
                                                               {TrialStatus::done, "done"}}};

/// Progress of a running trial when it last reported it.
struct ReportedProgress {
  TrainingProgress progress;
  double seconds_ago = 0;  ///< by the clocks of this host and of the file's
};

/// A trial of a study with its files.
struct StudyTrial {
  PlannedTrial planned;
  TrialStatus status = TrialStatus::planned;
  std::filesystem::path folder;  ///< folder of a done, damaged, running or interrupted one; else empty
  /// For a done one: its tasks' metrics in the state that was kept, in order, without columns; from report.json.
  StateResult kept;
  std::optional<RunRecord> run;                         ///< for a done one
  std::string problem;                                  ///< for a damaged one: the file that was changed
  std::optional<FailureRecord> failure;                 ///< for a failed one
  std::optional<ReportedProgress> progress;             ///< for a running one; nothing while it has reported none
  std::vector<std::filesystem::path> unprotected = {};  ///< for a done one, see DoneTrial
};

/// A results folder as it is now.
struct StudyResults {
  std::filesystem::path folder;
  std::string study;               ///< the manifest's name
  std::vector<StudyTrial> trials;  ///< in the plan's order
  std::string manifest_hash = {};  ///< XXH3-128 of the manifest that the plan was made from
  /// Warnings of files that are used although changes of them would not be noticed, and of an index that is no file,
  /// each with the reason.
  std::vector<std::string> doubts = {};
};

/// Reads a results folder: its plan, and of each trial the small files next to its result. Changes nothing and needs
/// neither the manifest's data nor its models. Throws std::filesystem::filesystem_error where the folder may not be
/// entered. Throws InputError where the folder is none, of a newer version, or cannot be read, or its plan was changed.
/// A trial whose files were changed is `damaged` and no error (see `read_done_trial`).
StudyResults read_study(const std::filesystem::path& results);

/// Returns these trials as they are in a results folder, which need not be there; without name and hash of a plan.
/// Throws InputError where the folder cannot be read.
StudyResults read_trials(const std::filesystem::path& results, const std::vector<PlannedTrial>& planned);

/// Returns the fault of the study's manifest.yaml: that plan.json was made from another one. Empty where it has none,
/// or where there is no manifest.
std::string manifest_problem(const StudyResults& study);

/// Returns the kind of entry in place of the study's index.h5, where it is no regular file; else an empty text. Nothing
/// reads the index but its users, and `gausscse index` refuses to write it there.
std::string index_problem(const std::filesystem::path& results);

/// Replaces the metric "average.KIND.METRIC" of a table's columns by the mean of those columns "TASK.METRIC" whose
/// tasks are of the kind, without development tasks. It stays, and no trial has it, where these are fewer than two.
void replace_averages(TableSettings& table, const StudyResults& study);

/// Reads the manifest that a study's plan was made from, its averages replaced (`replace_averages`). Throws InputError
/// where it cannot be read, or is not the one that the plan names by its hash.
Manifest read_manifest_of(const StudyResults& study);

/// Returns whether a trial is done, had steps, and kept the state before the first of them.
bool kept_untrained_state(const StudyTrial& trial);

/// Returns all that a done trial left, columns and curves included, or parts of it; the metrics of the state that was
/// kept are there in any case. Throws InputError, also where it was changed.
RunResult full_result(const StudyTrial& trial, const ResultParts& parts = {});

/// Returns the state that a done trial kept with those of its columns that `column` wants (see ResultParts): quicker
/// than all of its result. Throws as `full_result`.
StateResult kept_with_columns(const StudyTrial& trial,
                              const std::function<bool(const Measurement& task, std::string_view column)>& column = {});

/// Returns the value of "TASK.METRIC" or the mean "mean(TASK.METRIC, ...)" in the state that was kept, behind
/// "backbone." of the backbone. Nothing where the trial is not done or lacks a metric of these. A mean over a partial
/// task (`is_partial`) is NaN.
std::optional<Metric> metric_of(const StudyTrial& trial, std::string_view name);

}  // namespace gausscse
