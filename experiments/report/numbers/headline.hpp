#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/report/numbers/report_data.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/tables/make_table.hpp"

namespace gausscse {

/// A metric of the best setting, as a page begins with it.
struct HeadlineMetric {
  std::string name;  ///< "TASK.METRIC", or as `metric_of` knows it
  TableCell cell;    ///< mean over the setting's trials, with an interval where there is one
  setting::CellInterval interval = setting::CellInterval::none;  ///< kind of that interval
};

/// The best of the settings that a headline's best one is above.
struct RunnerUp {
  std::string label;
  double difference = 0;    ///< mean of the best setting less that of this one
  std::optional<double> p;  ///< p of `DifferenceTest`; without items of Welch's test; nothing with one seed
};

/// The best setting of a study, by one metric.
struct Headline {
  std::string stage;
  std::size_t settings = 0;             ///< settings of the stage that have the metric
  std::vector<std::string> best;        ///< labels of those that print the highest value; the metrics are of the first
  std::int64_t trials = 0;              ///< trials of the first one that have the metric
  std::int64_t untrained = 0;           ///< trials of these that kept the state before their first step
  std::vector<HeadlineMetric> metrics;  ///< first the one that chose the setting
  std::optional<RunnerUp> second;       ///< nothing if all settings share the highest value
  std::string baselines;                ///< metrics without a model, as below a table; may be empty
};

/// Finds the best setting: of the stage of `table`, the manifest's first table (null where it has none), or else of the
/// last stage that has metrics. The metric is a share or a correlation that done trials of the stage have. The first of
/// these is taken: that by which the stage took over settings from an earlier one, that by which trials chose their
/// states, the table's first, the first that grids show. Values are compared as printed. The other metrics are those of
/// the table, or those that grids show. Intervals are of the kind of `options`; without one, or where it does not
/// exist, over three seeds or more, over items by Wilson, or by a bootstrap: the first that exists. Nothing where no
/// trial has a metric.
std::optional<Headline> find_headline(const StudyResults& study, const ReportData& data, const TableSettings* table,
                                      const TableOptions& options, TrialItems& items);

}  // namespace gausscse
