#include "experiments/tables/cell_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "base/lists.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/study/difference_test.hpp"

namespace gausscse {

namespace {

using CellTrials = std::vector<const StudyTrial*>;

/// Returns the metric that counts a share's items, of a part those of the part; empty for a metric that is no share of
/// items.
std::string counting_metric(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return "";
  const std::size_t end = std::min(name.find('.', dot + 1), name.size());
  const std::string task = name.substr(0, dot + 1), metric = name.substr(dot + 1, end - dot - 1),
                    part = name.substr(end);
  if (metric == "accuracy") return task + "pairs" + part;
  if (is_share_of_items(metric) || metric == "direction_length" || metric == "direction_words")
    return task + "directed_pairs" + part;
  return "";
}

/// Returns the number of items that all of a cell's trials were measured on; nothing where they differ.
std::optional<double> items_of_cell(const std::string& name, const CellTrials& trials) {
  const std::string counting = counting_metric(name);
  std::optional<double> items;
  if (counting.empty()) return items;
  for (const StudyTrial* trial : trials) {
    const auto metric = metric_of(*trial, name), count = metric_of(*trial, counting);
    if (!metric || std::isnan(metric->value)) continue;
    if (!count || std::isnan(count->value) || (items && *items != count->value)) return std::nullopt;
    items = count->value;
  }
  return items;
}

Interval student_of(const TableCell& cell) {
  return student_interval(members_of(cell.values, &CellValue::value));
}

std::optional<Interval> wilson_of(const TableCell& cell, const std::string& name, const CellTrials& trials) {
  const auto items = items_of_cell(name, trials);
  if (!items || !(*items > 0) || !(cell.value >= 0 && cell.value <= 1)) return std::nullopt;
  return wilson_interval(std::min(cell.value * *items, *items), *items);
}

/// Cells whose metrics are of the same items, so that these are drawn once for all.
struct DrawnCells {
  std::vector<TableCell*> cells;
  std::vector<MetricOnSample> metrics;
};

/// Returns the mean over a cell's trials that have items; without trials where these are of other items.
MeanOverTrials mean_of_cell(const std::string& name, const CellTrials& trials, TrialItems& all_items) {
  MeanOverTrials mean;
  const Measurement* measured = nullptr;
  for (const StudyTrial* trial : trials) {
    const TrialItems::Items* items = all_items.find(*trial, name);
    if (!items) continue;
    if (measured && measured != items->measured) return {};
    measured = items->measured;
    mean.add(items->metric);
  }
  return mean;
}

void set_interval(TableCell& cell, const std::optional<Interval>& interval) {
  if (!interval || std::isnan(interval->low)) return;
  cell.low = interval->low;
  cell.high = interval->high;
}

}  // namespace

void add_intervals(StudyTable& table, const std::vector<std::vector<CellTrials>>& of_cells, const TableOptions& options,
                   TrialItems& items) {
  if (options.interval == setting::CellInterval::none || table.aggregation != setting::Aggregation::mean) return;
  std::map<ItemClusters, DrawnCells> drawn;
  for (std::size_t r = 0; r < table.cells.size(); ++r)
    for (std::size_t c = 0; c < table.cells[r].size(); ++c) {
      TableCell& cell = table.cells[r][c];
      const std::string& name = table.column_metrics[c];
      if (cell.count == 0) continue;
      if (options.interval == setting::CellInterval::t) set_interval(cell, student_of(cell));
      if (options.interval == setting::CellInterval::wilson) set_interval(cell, wilson_of(cell, name, of_cells[r][c]));
      if (options.interval != setting::CellInterval::bootstrap) continue;
      const MeanOverTrials mean = mean_of_cell(name, of_cells[r][c], items);
      if (mean.trials() == 0) continue;
      drawn[mean.clusters()].cells.push_back(&cell);
      drawn[mean.clusters()].metrics.push_back(metric_of_draws(mean));
    }
  for (const auto& [clusters, of_items] : drawn) {
    const auto results = bootstrap_together(clusters, of_items.metrics, {.threads = options.threads});
    for (std::size_t i = 0; i < results.size(); ++i) set_interval(*of_items.cells[i], results[i].interval);
  }
}

}  // namespace gausscse
