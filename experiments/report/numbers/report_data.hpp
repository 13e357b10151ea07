#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/report/numbers/group_summary.hpp"
#include "experiments/report/numbers/trial_facts.hpp"
#include "experiments/report/numbers/trial_groups.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

/// Numbers of a page on the results of a study's trials.
struct ReportData {
  std::vector<TrialGroup> groups;
  std::vector<GroupSummary> summaries;      ///< summary of each group
  std::vector<bool> shown;                  ///< for each group: true if its curves are in the page
  std::vector<Facts> settings, provenance;  ///< facts of each trial; empty where there is no result
  std::string selected;                     ///< "TASK.METRIC" that chose states, of the first trial that has one
  std::vector<std::string> problems;        ///< problems of files that could not be read
};

/// Returns the parts of a done trial's result that a page shows. With `items` it also takes the items that tables test,
/// so that each file is read once. Throws as `full_result`.
RunResult shown_result(const StudyTrial& trial, TrialItems* items = nullptr);

/// Function that reads a done trial's result: `shown_result`, or a test's own.
using ResultLoader = std::function<RunResult(const StudyTrial&)>;

/// Groups of which curves and distributions are shown, those of later stages first; of all others only the metrics are.
inline constexpr std::size_t most_shown_groups = 40;

/// Reads the results one after another and keeps only their sums. A result that cannot be read is a problem and no
/// error.
ReportData gather_report(const StudyResults& study, const ResultLoader& load);

}  // namespace gausscse
