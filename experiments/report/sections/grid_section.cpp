#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/tasks/task_settings.hpp"
#include "experiments/report/plots/heat_map.hpp"
#include "experiments/report/sections/metric_words.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"
#include "experiments/tables/table_formats.hpp"

namespace gausscse {

namespace {

constexpr std::size_t most_heat_maps = 24, most_heat_labels = 24;

/// Returns an axis' name, short: "batch size" of "training.batch_size".
std::string axis_word(const std::string& axis) {
  const std::size_t dot = axis.rfind('.');
  std::string word = dot == std::string::npos || dot + 1 == axis.size() ? axis : axis.substr(dot + 1);
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::optional<double> number_of(const std::string& label) {
  double value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  return value;
}

/// Returns the different labels on an axis: numbers by size, others in the plan's order.
std::vector<std::string> labels_on_axis(const std::vector<const TrialGroup*>& groups, const std::string& axis) {
  std::vector<std::string> labels;
  for (const TrialGroup* group : groups) {
    const std::string label = label_of(*group, axis);
    if (!label.empty()) add_once(labels, label);
  }
  if (std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return number_of(label); }))
    std::stable_sort(labels.begin(), labels.end(),
                     [](const std::string& a, const std::string& b) { return *number_of(a) < *number_of(b); });
  return labels;
}

/// Returns the two axes of a map: the last two of numbers, such as batch size and learning rate; else the last two.
std::optional<std::pair<std::string, std::string>> axes_of_map(const std::vector<const TrialGroup*>& groups) {
  std::vector<std::string> axes = varying_axes(groups), of_numbers;
  std::erase_if(axes, [&](const std::string& axis) { return labels_on_axis(groups, axis).size() > most_heat_labels; });
  for (const std::string& axis : axes) {
    const std::vector<std::string> labels = labels_on_axis(groups, axis);
    if (labels.size() > 1 && std::all_of(labels.begin(), labels.end(), [](const auto& l) { return number_of(l); }))
      of_numbers.push_back(axis);
  }
  const std::vector<std::string>& chosen = of_numbers.size() >= 2 ? of_numbers : axes;
  if (chosen.size() < 2) return std::nullopt;
  return std::pair{chosen[chosen.size() - 2], chosen.back()};
}

struct MappedMetric {
  std::string task, metric;
  Unit unit;
};

/// Returns the metric that chooses states, then the one or two most important ones of each task.
std::vector<MappedMetric> mapped_metrics(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<MappedMetric> metrics;
  for (const bool selected : {true, false}) {
    for (const std::size_t i : groups) {
      for (const MetricMean& mean : data.summaries[i].metrics) {
        const std::vector<std::string_view> of_kind = mapped_metrics_of(mean.kind);
        const bool wanted = selected ? mean.task + "." + mean.metric == data.selected
                                     : std::find(of_kind.begin(), of_kind.end(), mean.metric) != of_kind.end();
        const auto same = [&](const MappedMetric& f) { return f.task == mean.task && f.metric == mean.metric; };
        if (wanted && std::none_of(metrics.begin(), metrics.end(), same))
          metrics.push_back({mean.task, mean.metric, mean.unit});
      }
    }
  }
  return metrics;
}

double mean_of(const GroupSummary& summary, const MappedMetric& metric) {
  for (const MetricMean& mean : summary.metrics)
    if (mean.task == metric.task && mean.metric == metric.metric) return mean.mean;
  return std::numeric_limits<double>::quiet_NaN();
}

/// Groups that are alike on all axes but two.
struct Slice {
  std::string title;
  std::vector<std::size_t> groups;
};

std::vector<Slice> slices_of(const ReportData& data, const std::vector<std::size_t>& groups,
                             const std::vector<std::string>& other_axes) {
  std::vector<Slice> slices;
  for (const std::size_t i : groups) {
    const std::string title =
        joined(other_axes, ", ", [&](const std::string& axis) { return label_of(data.groups[i], axis); });
    auto slice = std::find_if(slices.begin(), slices.end(), [&](const Slice& s) { return s.title == title; });
    if (slice == slices.end()) slice = slices.insert(slices.end(), Slice{title, {}});
    slice->groups.push_back(i);
  }
  return slices;
}

bool has_untrained_state(const ReportContent& content, std::size_t group) {
  const std::vector<std::size_t>& trials = content.data.groups[group].trials;
  return std::any_of(trials.begin(), trials.end(),
                     [&](std::size_t trial) { return kept_untrained_state(content.study.trials[trial]); });
}

std::vector<HeatMap> heat_maps_of(const ReportContent& content, const std::vector<std::size_t>& groups) {
  const ReportData& data = content.data;
  std::vector<const TrialGroup*> members;
  for (const std::size_t i : groups) members.push_back(&data.groups[i]);
  const auto axes = axes_of_map(members);
  if (!axes) return {};
  std::vector<std::string> others = varying_axes(members);
  std::erase(others, axes->first);
  std::erase(others, axes->second);
  std::vector<HeatMap> maps;
  const std::vector<MappedMetric> metrics = mapped_metrics(data, groups);
  for (const Slice& slice : slices_of(data, groups, others)) {
    std::vector<const TrialGroup*> of_slice;
    for (const std::size_t i : slice.groups) of_slice.push_back(&data.groups[i]);
    const auto rows = labels_on_axis(of_slice, axes->first), columns = labels_on_axis(of_slice, axes->second);
    // A line of cells, or a diagonal of points that an earlier stage chose, is no map.
    if (rows.size() < 2 || columns.size() < 2 || 2 * slice.groups.size() <= rows.size() * columns.size()) continue;
    for (const MappedMetric& metric : metrics) {
      HeatMap map{metric_title(metric.metric, metric.task) + (metric.unit == Unit::fraction ? ", %" : "") +
                      (slice.title.empty() ? "" : ": " + slice.title),
                  axis_word(axes->first),
                  axis_word(axes->second),
                  rows,
                  columns,
                  std::vector(rows.size(), std::vector(columns.size(), std::numeric_limits<double>::quiet_NaN())),
                  metric.unit,
                  std::vector(rows.size(), std::vector<bool>(columns.size(), false))};
      for (const std::size_t i : slice.groups) {
        const auto row = std::find(rows.begin(), rows.end(), label_of(data.groups[i], axes->first));
        const auto column = std::find(columns.begin(), columns.end(), label_of(data.groups[i], axes->second));
        if (row == rows.end() || column == columns.end()) continue;
        const auto r = static_cast<std::size_t>(row - rows.begin()),
                   c = static_cast<std::size_t>(column - columns.begin());
        map.values[r][c] = mean_of(data.summaries[i], metric);
        map.untrained[r][c] = has_untrained_state(content, i);
      }
      maps.push_back(std::move(map));
    }
  }
  return maps;
}

}  // namespace

void add_grids(HtmlWriter& page, const ReportContent& content) {
  std::vector<std::string> stages;
  for (const TrialGroup& group : content.data.groups) add_once(stages, group.stage);
  bool is_first = true;
  for (const std::string& stage : stages) {
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < content.data.groups.size(); ++i)
      if (content.data.groups[i].stage == stage) groups.push_back(i);
    std::vector<HeatMap> maps = heat_maps_of(content, groups);
    if (maps.empty()) continue;
    if (is_first)
      page.element(
          "p",
          "Means over seeds, of the state that was kept. The highest values of a map as printed are bold. Maps "
          "without % in their title are no percentages.");
    is_first = false;
    if (stages.size() > 1) page.element("h3", "Stage " + stage);
    const std::size_t left_out = maps.size() > most_heat_maps ? maps.size() - most_heat_maps : 0;
    maps.resize(maps.size() - left_out);
    open_metrics(page);
    for (const HeatMap& map : maps) add_figure(page, map);
    page.close();
    if (std::any_of(groups.begin(), groups.end(), [&](std::size_t i) { return has_untrained_state(content, i); }))
      add_quiet(page, concat(untrained_mark_of_page, ": ", untrained_legend));
    if (left_out > 0) add_quiet(page, "Left out: " + std::to_string(left_out) + " more maps of this stage.");
  }
}

}  // namespace gausscse
