#pragma once

#include "base/choice.hpp"
#include "experiments/tables/study_table.hpp"
#include "experiments/tables/trial_items.hpp"

namespace gausscse {

namespace setting {

/// Interval of a cell's value, at 95%: by Student's distribution over its trials, Wilson's interval over items, or a
/// bootstrap over items.
enum class CellInterval { none, t, wilson, bootstrap };

}  // namespace setting

template <>
inline constexpr NameTable<setting::CellInterval, 4> names<setting::CellInterval>{
    {{setting::CellInterval::none, "none"},
     {setting::CellInterval::t, "t"},
     {setting::CellInterval::wilson, "wilson"},
     {setting::CellInterval::bootstrap, "bootstrap"}}};

/// Options of a table besides its settings.
struct TableOptions {
  setting::CellInterval interval = setting::CellInterval::none;
  bool holm = true;    ///< p of tests are corrected over the table before they are compared with the level
  bool paper = true;   ///< true if the paper's own numbers are printed, too, where the settings name a paper
  int threads = 1;     ///< threads of bootstraps; the table is the same for any number
  bool named = false;  ///< true for rows that somebody named (`make_table_of_two`): every metric is tested
};

/// Returns a table of a study's trials as they are now. Rows and columns are in the order in which labels first appear
/// in the plan. A cell is of all done trials of the stage with its labels; the last rows are those of the backbones.
/// Result files are read only for tests and bootstraps. Throws InputError where the stage or an axis is not known (see
/// `lay_out`), or a column of the paper's metrics. The notes name values that are missing or cannot be tested.
StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options);

/// Returns one table of several: `items` is theirs together, so that each result file is read once at most.
StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options,
                      TrialItems& items);

/// Trials that a user or a page named as one side of a comparison, all done.
struct NamedTrials {
  std::string label;
  std::vector<StudyTrial> trials;
};

/// Returns a table of two rows, `a` and `b`, on the axis "group". Columns are the metrics, "TASK.METRIC". Tests have b
/// first: differences are b less a. Columns of trials without a folder are those of `StudyTrial::kept`.
StudyTable make_table_of_two(NamedTrials a, NamedTrials b, const std::vector<std::string>& metrics,
                             const TableOptions& options, TrialItems& items);

}  // namespace gausscse
