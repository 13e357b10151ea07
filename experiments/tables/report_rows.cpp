#include "experiments/tables/report_rows.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/tables/table_layout.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

void check_labels(const TableSettings& settings, const TableReport& report, const PlannedTrial& planned) {
  for (const auto* axes : {&settings.rows, &settings.columns})
    for (const std::string& axis : *axes)
      if (!label_on(planned, axis))
        throw InputError(concat("the table ", quoted(settings.name), " has a report ", quoted(report.file),
                                " without a label on its axis ", quoted(axis), ": give it one under reports"));
}

}  // namespace

StudyResults with_reports(const TableSettings& settings, const StudyResults& results) {
  StudyResults all{results.folder, results.study, {}};
  for (const TableReport& report : settings.reports) {
    StudyTrial trial;
    const std::string name = concat(study_layout::reports, "/", report.file);
    // No trial has this identity, which is no hexadecimal number.
    trial.planned = {stage_of(settings, results), report.labels, 0, name, name};
    check_labels(settings, report, trial.planned);
    const std::filesystem::path file = results.folder / study_layout::reports / report.file;
    std::error_code ignored;
    trial.status = std::filesystem::exists(std::filesystem::symlink_status(file, ignored)) ? TrialStatus::done
                                                                                           : TrialStatus::waiting;
    if (trial.status == TrialStatus::done) trial.kept = read_json_report(file, Links::refused);
    all.trials.push_back(std::move(trial));
  }
  all.trials.insert(all.trials.end(), results.trials.begin(), results.trials.end());
  return all;
}

}  // namespace gausscse
