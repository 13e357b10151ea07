#include "experiments/tables/make_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/paper_figures/paper_figures.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/tables/backbone_rows.hpp"
#include "experiments/tables/cell_intervals.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/compare_cells.hpp"
#include "experiments/tables/rival_cells.hpp"
#include "experiments/tables/table_layout.hpp"
#include "experiments/tables/table_notes.hpp"

namespace gausscse {

namespace {

using TrialsOfCell = std::vector<const StudyTrial*>;

double aggregate(const std::vector<double>& values, setting::Aggregation aggregation) {
  switch (aggregation) {
    case setting::Aggregation::mean:
      return mean_of(values);
    case setting::Aggregation::median:
      return median_of(values);
    case setting::Aggregation::highest:
      return values.empty() ? mean_of(values) : *std::max_element(values.begin(), values.end());
  }
  throw std::logic_error("no aggregation of this number");
}

/// Returns the highest value of the trials' backbones, as printed; empty where none has one.
std::string highest_backbone(const TrialsOfCell& trials, const std::string& metric, const TableSettings& settings) {
  std::optional<Metric> highest;
  for (const StudyTrial* trial : trials)
    if (const auto found = metric_of(*trial, of_backbone(metric));
        found && !std::isnan(found->value) && (!highest || found->value > highest->value))
      highest = found;
  return highest ? printed_value(highest->value, highest->unit, settings.cut) : "";
}

TableCell make_cell(const TrialsOfCell& trials, const std::string& metric, const TableSettings& settings) {
  TableCell cell;
  std::vector<double> values;
  for (const StudyTrial* trial : trials) {
    const auto found = metric_of(*trial, metric);
    if (!found || std::isnan(found->value)) {
      ++cell.missing;
      continue;
    }
    if (values.empty()) cell.unit = found->unit;
    values.push_back(found->value);
    cell.untrained += kept_untrained_state(*trial);
    cell.values.push_back({trial->planned.seed, trial->planned.identity, found->value});
  }
  cell.count = static_cast<std::int64_t>(values.size());
  cell.value = aggregate(values, settings.aggregation);
  cell.deviation = sample_deviation(values);
  cell.text = printed_value(cell.value, cell.unit, settings.cut);
  cell.backbone = highest_backbone(trials, metric, settings);
  return cell;
}

/// Returns the backbone's metric as one value, of no training.
TableCell make_backbone_cell(const StudyTrial* trial, const std::string& metric, const TableSettings& settings) {
  TableCell cell = make_cell(trial ? TrialsOfCell{trial} : TrialsOfCell(), of_backbone(metric), settings);
  cell.missing = cell.untrained = 0;
  return cell;
}

/// Returns the labels of a cell's trials on the axes that an earlier stage chose and that the table does not show.
std::vector<std::pair<std::string, std::string>> chosen_labels(const TrialsOfCell& trials,
                                                               const TableSettings& settings) {
  std::vector<std::pair<std::string, std::string>> chosen;
  for (const std::string& axis : settings.choice.axes) {
    if (is_among(settings.rows, axis) || is_among(settings.columns, axis)) continue;
    std::vector<std::string> labels;
    for (const StudyTrial* trial : trials)
      if (const std::string* label = label_on(trial->planned, axis)) add_once(labels, *label);
    if (!labels.empty()) chosen.emplace_back(axis, joined(labels));
  }
  return chosen;
}

/// Returns the label that all trials of a cell have on an axis; nothing where they differ.
std::optional<std::string> common_label(const TrialsOfCell& trials, const std::string& axis) {
  std::optional<std::string> common;
  for (const StudyTrial* trial : trials) {
    const std::string* label = label_on(trial->planned, axis);
    if (!label || (common && *common != *label)) return std::nullopt;
    common = *label;
  }
  return common;
}

std::optional<double> paper_of_cell(const TrialsOfCell& trials, const TableMetric& metric, const PaperFigures& paper,
                                    Unit unit) {
  if (metric.dataset.empty() && metric.paper_metric.empty()) return std::nullopt;
  PaperColumns columns;
  for (const auto& [column, axis] : paper.columns) {
    const auto label = common_label(trials, axis);
    if (!label) return std::nullopt;
    columns.emplace_back(column, *label);
  }
  if (!metric.dataset.empty()) columns.emplace_back("dataset", metric.dataset);
  if (!metric.paper_metric.empty()) columns.emplace_back("metric", metric.paper_metric);
  const auto found = find_paper_figure(paper_figures(), paper.source, paper.table, columns);
  if (!found) return std::nullopt;
  return unit == Unit::fraction ? *found / 100 : *found;
}

class TableMaker {
 public:
  TableMaker(const TableSettings& settings, const StudyResults& results, const TableOptions& options, TrialItems& items)
      : settings_(settings), results_(results), options_(options), items_(items), layout_(lay_out(settings, results)) {}

  StudyTable make() {
    add_headings();
    add_cells();
    if (options_.paper && !settings_.paper.source.empty()) add_paper();
    const ComparedCells compared = compare_cells(table_, of_cells_, options_, items_);
    add_intervals(table_, of_cells_, options_, items_);
    add_backbones();
    mark_best(table_);
    TableFacts facts{settings_, results_, options_, layout_, compared, {}};
    if (reads_items()) facts.problems = problems();
    table_.notes = notes_of(table_, facts);
    return std::move(table_);
  }

 private:
  /// Returns whether tests or intervals look at single items.
  bool reads_items() const {
    return !settings_.compare.empty() || options_.interval == setting::CellInterval::bootstrap;
  }

  std::vector<std::string> problems() const {
    std::vector<std::string> found;
    for (const auto& row : layout_.trials)
      for (const TrialsOfCell& trials : row)
        for (const StudyTrial* trial : trials)
          if (const std::string* problem = items_.problem_of(*trial)) found.push_back(*problem);
    return found;
  }

  void add_headings() {
    table_.name = settings_.name;
    table_.title = settings_.title;
    table_.stage = layout_.stage;
    table_.row_axes = settings_.rows;
    table_.column_axes = settings_.columns;
    table_.row_labels = layout_.rows;
    table_.compare = settings_.compare;
    table_.aggregation = settings_.aggregation;
    for (const TableLayout::Labels& labels : layout_.columns)
      for (const TableMetric& metric : settings_.metrics) {
        table_.column_labels.push_back(labels);
        table_.column_labels.back().push_back(metric.title.empty() ? metric.metric : metric.title);
        table_.column_metrics.push_back(metric.metric);
      }
  }

  void add_cells() {
    table_.column_units.assign(table_.column_metrics.size(), Unit::fraction);
    for (const auto& row : layout_.trials) {
      table_.cells.emplace_back();
      of_cells_.emplace_back();
      for (const TrialsOfCell& trials : row)
        for (const TableMetric& metric : settings_.metrics) {
          TableCell cell = make_cell(trials, metric.metric, settings_);
          cell.chosen = chosen_labels(trials, settings_);
          if (cell.count > 0) table_.column_units[table_.cells.back().size()] = cell.unit;
          table_.cells.back().push_back(std::move(cell));
          of_cells_.back().push_back(trials);
        }
    }
    set_units_of_missing();
  }

  void set_units_of_missing() {
    for (auto& row : table_.cells)
      for (std::size_t c = 0; c < row.size(); ++c)
        if (row[c].count == 0) row[c].unit = table_.column_units[c];
  }

  void add_backbones() {
    for (const BackboneRow& row : backbone_rows(layout_, settings_)) {
      std::vector<std::string>& labels = table_.row_labels.emplace_back(table_.row_axes.size());
      labels.front() = row.label;
      std::vector<TableCell>& cells = table_.cells.emplace_back();
      for (const StudyTrial* trial : row.of_columns)
        for (const TableMetric& metric : settings_.metrics)
          cells.push_back(make_backbone_cell(trial, metric.metric, settings_));
      ++table_.backbones;
    }
    set_units_of_missing();
  }

  void add_paper() {
    for (std::size_t r = 0; r < table_.cells.size(); ++r)
      for (std::size_t c = 0; c < table_.cells[r].size(); ++c)
        table_.cells[r][c].paper = paper_of_cell(of_cells_[r][c], settings_.metrics[c % settings_.metrics.size()],
                                                 settings_.paper, table_.cells[r][c].unit);
  }

  const TableSettings& settings_;
  const StudyResults& results_;
  const TableOptions& options_;
  TrialItems& items_;
  TableLayout layout_;
  std::vector<std::vector<TrialsOfCell>> of_cells_;  ///< the trials of each cell of the table
  StudyTable table_;
};

}  // namespace

StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options,
                      TrialItems& items) {
  if (!settings.reports.empty()) {
    const StudyResults all = with_reports(settings, results);
    StudyTable table = TableMaker(settings, all, options, items).make();
    for (const StudyTrial& report : std::span(all.trials).first(settings.reports.size()))
      for (const std::filesystem::path& file : report.unprotected)
        table.notes.push_back(concat(file.string(),
                                     " has no hash of its values, as an earlier version wrote it: damage ",
                                     "that changes only values cannot be detected."));
    return table;
  }
  return TableMaker(settings, results, options, items).make();
}

StudyTable make_table(const TableSettings& settings, const StudyResults& results, const TableOptions& options) {
  TrialItems items;
  return make_table(settings, results, options, items);
}

}  // namespace gausscse
