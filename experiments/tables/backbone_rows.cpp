#include "experiments/tables/backbone_rows.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/tables/cell_text.hpp"

namespace gausscse {

namespace {

/// A backbone in one column of labels: its values as printed, and the trials that have it.
struct BackboneOfColumn {
  std::vector<std::string> texts;
  std::vector<const StudyTrial*> trials;
};

/// Returns the printed values of a trial's backbone, one a metric; empty where it has none.
std::vector<std::string> backbone_texts(const StudyTrial& trial, const TableSettings& settings) {
  std::vector<std::string> texts;
  bool has_any = false;
  for (const TableMetric& metric : settings.metrics) {
    const std::optional<Metric> found = metric_of(trial, of_backbone(metric.metric));
    has_any = has_any || found;
    texts.push_back(found ? printed_value(found->value, found->unit, settings.cut) : "-");
  }
  return has_any ? texts : std::vector<std::string>();
}

std::vector<BackboneOfColumn> backbones_of_column(const TableLayout& layout, std::size_t column,
                                                  const TableSettings& settings) {
  std::vector<BackboneOfColumn> backbones;
  for (const auto& row : layout.trials)
    for (const StudyTrial* trial : row[column]) {
      std::vector<std::string> texts = backbone_texts(*trial, settings);
      if (texts.empty()) continue;
      auto same =
          std::find_if(backbones.begin(), backbones.end(), [&](const auto& each) { return each.texts == texts; });
      if (same == backbones.end()) same = backbones.insert(same, {std::move(texts), {}});
      same->trials.push_back(trial);
    }
  return backbones;
}

using LabelSet = std::set<std::string>;

LabelSet labels_of_trials(const BackboneOfColumn& backbone, const std::string& axis) {
  LabelSet labels;
  for (const StudyTrial* trial : backbone.trials)
    if (const std::string* label = label_on(trial->planned, axis)) labels.insert(*label);
  return labels;
}

/// Returns whether all trials of an axis label have one backbone.
bool distinguishes(const std::vector<BackboneOfColumn>& backbones, const std::string& axis) {
  LabelSet all;
  std::size_t labels = 0;
  for (const BackboneOfColumn& backbone : backbones) {
    const LabelSet own = labels_of_trials(backbone, axis);
    if (own.empty()) return false;
    labels += own.size();
    all.insert(own.begin(), own.end());
  }
  return all.size() == labels;
}

bool differ_on(const std::vector<BackboneOfColumn>& backbones, const std::string& axis) {
  return std::any_of(backbones.begin(), backbones.end(), [&](const BackboneOfColumn& backbone) {
    return labels_of_trials(backbone, axis) != labels_of_trials(backbones.front(), axis);
  });
}

/// Returns the axes whose labels name the backbones of a table, the same in all of its columns.
std::vector<std::string> naming_axes(const std::vector<std::vector<BackboneOfColumn>>& columns,
                                     const TableSettings& settings) {
  std::vector<std::string> axes, differing;
  for (const auto& backbones : columns)
    for (const BackboneOfColumn& backbone : backbones)
      for (const auto& [axis, label] : backbone.trials.front()->planned.coordinates)
        if (!is_among(settings.columns, axis)) add_once(axes, axis);
  for (const std::string& axis : axes) {
    if (std::any_of(columns.begin(), columns.end(), [&](const auto& each) { return differ_on(each, axis); }))
      differing.push_back(axis);
    if (differing.empty() || differing.back() != axis) continue;
    if (std::all_of(columns.begin(), columns.end(), [&](const auto& each) { return distinguishes(each, axis); }))
      return {axis};
  }
  return differing;
}

std::string label_of(const BackboneOfColumn& backbone, const std::vector<std::string>& axes) {
  std::string label = "backbone";
  for (const std::string& axis : axes) {
    const LabelSet labels = labels_of_trials(backbone, axis);
    if (!labels.empty()) label += concat(" ", joined(std::vector<std::string>(labels.begin(), labels.end())));
  }
  return label;
}

}  // namespace

std::vector<BackboneRow> backbone_rows(const TableLayout& layout, const TableSettings& settings) {
  if (settings.rows.empty()) return {};
  std::vector<std::vector<BackboneOfColumn>> columns;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) columns.push_back(backbones_of_column(layout, c, settings));
  const std::vector<std::string> axes = naming_axes(columns, settings);
  std::vector<BackboneRow> rows;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (const BackboneOfColumn& backbone : columns[c]) {
      const std::string label = label_of(backbone, axes);
      auto row = std::find_if(rows.begin(), rows.end(), [&](const BackboneRow& each) { return each.label == label; });
      if (row == rows.end()) row = rows.insert(row, {label, std::vector<const StudyTrial*>(columns.size())});
      if (!row->of_columns[c]) row->of_columns[c] = backbone.trials.front();
    }
  return rows;
}

}  // namespace gausscse
