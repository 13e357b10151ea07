#include "experiments/tables/cell_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

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

std::optional<Interval> student_of(const TableCell& cell) {
  std::vector<double> values;
  for (const CellValue& each : cell.values) values.push_back(each.value);
  const Interval interval = student_interval(values);
  return std::isnan(interval.low) ? std::nullopt : std::optional(interval);
}

std::optional<Interval> wilson_of(const TableCell& cell, const std::string& name, const CellTrials& trials) {
  const auto items = items_of_cell(name, trials);
  if (!items || !(*items > 0) || !(cell.value >= 0 && cell.value <= 1)) return std::nullopt;
  return wilson_interval(std::min(cell.value * *items, *items), *items);
}

std::optional<Interval> bootstrap_of(const std::string& name, const CellTrials& trials, int threads,
                                     TrialItems& all_items) {
  MeanOverTrials mean;
  const Measurement* measured = nullptr;
  for (const StudyTrial* trial : trials) {
    const TrialItems::Items* items = all_items.find(*trial, name);
    if (!items) continue;
    if (measured && measured != items->measured) return std::nullopt;
    measured = items->measured;
    mean.add(items->metric);
  }
  if (!measured) return std::nullopt;
  const Interval interval = bootstrap_over_items(mean, {.threads = threads}).interval;
  return std::isnan(interval.low) ? std::nullopt : std::optional(interval);
}

}  // namespace

void add_intervals(StudyTable& table, const std::vector<std::vector<CellTrials>>& of_cells, const TableOptions& options,
                   TrialItems& items) {
  if (options.interval == setting::CellInterval::none || table.aggregation != setting::Aggregation::mean) return;
  for (std::size_t r = 0; r < table.cells.size(); ++r)
    for (std::size_t c = 0; c < table.cells[r].size(); ++c) {
      TableCell& cell = table.cells[r][c];
      const std::string& name = table.column_metrics[c];
      if (cell.count == 0) continue;
      std::optional<Interval> interval;
      if (options.interval == setting::CellInterval::t) interval = student_of(cell);
      if (options.interval == setting::CellInterval::wilson) interval = wilson_of(cell, name, of_cells[r][c]);
      if (options.interval == setting::CellInterval::bootstrap)
        interval = bootstrap_of(name, of_cells[r][c], options.threads, items);
      if (!interval) continue;
      cell.low = interval->low;
      cell.high = interval->high;
    }
}

}  // namespace gausscse
