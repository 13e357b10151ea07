#include "experiments/tables/rival_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "experiments/tables/cell_text.hpp"

namespace gausscse {

namespace {

using CellLabels = std::vector<std::string>;

/// Returns the place of the compared axis; the number of axes where none is compared.
std::size_t place_of_axis(const std::vector<std::string>& axes, const std::string& axis) {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
}

CellLabels without_label(CellLabels labels, std::size_t left_out, std::size_t axes) {
  if (left_out < axes) labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(left_out));
  return labels;
}

}  // namespace

std::vector<std::vector<CellPlace>> rival_cells(const StudyTable& table) {
  const std::size_t row_axis = place_of_axis(table.row_axes, table.compare),
                    column_axis = place_of_axis(table.column_axes, table.compare);
  std::map<std::vector<CellLabels>, std::size_t> group_of;
  std::vector<std::vector<CellPlace>> groups;
  for (std::size_t c = 0; c < table.column_labels.size(); ++c)
    for (std::size_t r = 0; r < table.row_labels.size() - table.backbones; ++r) {
      CellLabels column = without_label(table.column_labels[c], column_axis, table.column_axes.size());
      column.back() = table.column_metrics[c];  // titles may be equal
      const CellLabels row =
          table.compare.empty() ? CellLabels{} : without_label(table.row_labels[r], row_axis, table.row_axes.size());
      const auto [group, is_new] = group_of.try_emplace({row, column}, groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back({r, c});
    }
  return groups;
}

const std::string& label_of_cell(const StudyTable& table, CellPlace place, const std::string& axis) {
  const std::size_t row_axis = place_of_axis(table.row_axes, axis);
  if (row_axis < table.row_axes.size()) return table.row_labels[place.row][row_axis];
  const std::size_t column_axis = place_of_axis(table.column_axes, axis);
  GAUSSCSE_CHECK(column_axis < table.column_axes.size(), "axis ", axis);
  return table.column_labels[place.column][column_axis];
}

namespace {

/// Returns whether the highest value of a column's metric is the best: of shares and correlations, but shares of
/// errors, and the baseline that differs from model to model.
bool has_highest_best(const StudyTable& table, std::size_t column) {
  const std::string& metric = table.column_metrics[column];
  return table.column_units[column] == Unit::fraction && metric.find(".error_") == std::string::npos &&
         metric.find(".auprc_length") == std::string::npos;
}

/// Marks the cells of backbones above or as high as which no other cell of their column is.
void mark_best_backbones(StudyTable& table) {
  for (std::size_t c = 0; c < table.column_labels.size(); ++c) {
    if (!has_highest_best(table, c)) continue;
    std::vector<double> printed;
    for (const std::vector<TableCell>& row : table.cells)
      if (const double value = printed_number(row[c].text); !std::isnan(value)) printed.push_back(value);
    if (printed.empty()) continue;
    const auto [lowest, highest] = std::minmax_element(printed.begin(), printed.end());
    for (std::size_t r = rows_of_trials(table); r < table.cells.size(); ++r)
      table.cells[r][c].best = *lowest < *highest && printed_number(table.cells[r][c].text) == *highest;
  }
}

}  // namespace

void mark_best(StudyTable& table) {
  mark_best_backbones(table);
  for (const std::vector<CellPlace>& group : rival_cells(table)) {
    if (group.empty() || !has_highest_best(table, group.front().column)) continue;
    double best = -std::numeric_limits<double>::infinity(), worst = -best;
    bool is_backbone_better = false;
    for (const CellPlace& place : group) {
      const double printed = printed_number(cell_at(table, place).text);
      if (std::isnan(printed)) continue;
      best = std::max(best, printed);
      worst = std::min(worst, printed);
    }
    for (const CellPlace& place : group)
      is_backbone_better = is_backbone_better || printed_number(cell_at(table, place).backbone) > best;
    if (worst >= best || is_backbone_better) continue;
    for (const CellPlace& place : group) {
      TableCell& cell = cell_at(table, place);
      cell.best = cell.untrained == 0 && printed_number(cell.text) == best;
    }
  }
}

}  // namespace gausscse
