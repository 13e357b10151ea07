#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/numbers/geometry_summary.hpp"
#include "experiments/report/sections/metric_words.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// Returns whether bands are alike: rounding on another machine makes no other state.
bool are_alike(const BandLines& a, const BandLines& b) {
  constexpr double tolerance = 1e-4;
  return a.x == b.x && std::equal(a.mean.begin(), a.mean.end(), b.mean.begin(), [](double one, double other) {
           return (std::isnan(one) && std::isnan(other)) ||
                  std::abs(one - other) <= tolerance * std::max(1.0, std::abs(one));
         });
}

/// Returns the labels that these groups share, on axes on which those of the panel differ; else the first one's label.
std::string shared_labels(const ReportData& data, const GroupPanel& panel, const std::vector<std::size_t>& members) {
  std::vector<const TrialGroup*> of_panel, of_members;
  for (const std::size_t i : panel.groups) of_panel.push_back(&data.groups[i]);
  for (const std::size_t i : members) of_members.push_back(&data.groups[panel.groups[i]]);
  const std::vector<std::string> differing = varying_axes(of_members);
  std::string text;
  for (const std::string& axis : varying_axes(of_panel)) {
    if (is_among(differing, axis)) continue;
    const std::string label = label_of(*of_members.front(), axis);
    if (!label.empty()) text += (text.empty() ? "" : ", ") + label;
  }
  return text.empty() ? panel.labels[members.front()] : text;
}

/// Returns lines of untrained states: one for those of a panel's groups that are alike.
std::vector<LineSeries> untrained_lines(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  struct Alike {
    BandLines lines;
    std::vector<std::size_t> members;
  };
  std::vector<Alike> different;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    if (!of_group || of_group->empty()) continue;
    BandLines lines = of_group->lines();
    const auto known = std::find_if(different.begin(), different.end(),
                                    [&](const Alike& alike) { return are_alike(alike.lines, lines); });
    if (known == different.end())
      different.push_back({std::move(lines), {i}});
    else
      known->members.push_back(i);
  }
  std::vector<LineSeries> lines;
  for (const Alike& alike : different) {
    const std::string label = different.size() == 1 ? "" : concat(", ", shared_labels(data, panel, alike.members));
    lines.push_back({"before training" + label, alike.lines.x, alike.lines.mean, {}, {}});
  }
  return lines;
}

const GeometrySummary& geometry_of(const ReportData& data, std::size_t group, const std::string& task) {
  return *find_geometry(data.summaries[group].geometry, task);
}

/// Returns the stages and geometry tasks with the groups that have metrics by layer.
std::vector<ShownStage> geometry_stages(const ReportData& data) {
  std::vector<ShownStage> found;
  const std::vector<ShownStage> stages = shown_stages(data);
  std::vector<std::string> tasks;
  for (const ShownStage& stage : stages)
    for (const std::size_t i : stage.groups)
      for (const GeometrySummary& summary : data.summaries[i].geometry) add_once(tasks, summary.task);
  for (const ShownStage& stage : stages) {
    for (const std::string& task : tasks) {
      ShownStage of_task{stage.stage, stage.heading, task};
      if (tasks.size() > 1) of_task.heading += (stage.heading.empty() ? "Task " : ", task ") + task;
      for (const std::size_t i : stage.groups)
        if (const GeometrySummary* summary = find_geometry(data.summaries[i].geometry, task);
            summary && !summary->layers.empty())
          of_task.groups.push_back(i);
      if (!of_task.groups.empty()) found.push_back(std::move(of_task));
    }
  }
  return found;
}

/// Function that returns a band of a geometry task; null where it has none.
using BandOfGeometry = std::function<const Band*(const GeometrySummary&)>;

/// Returns a plot with a line for each group of a panel in the state that was kept, and a grey one for each of the
/// untrained states that differ. A grey line's label names the settings that the groups starting from it share.
PlotFigure plot_of_states(const ReportData& data, const GroupPanel& panel, const std::string& task, LinePlot plot,
                          const BandOfGeometry& before, const BandOfGeometry& after) {
  const auto of_group = [&](const BandOfGeometry& band) -> BandOfGroup {
    return [&](const GroupSummary& group) -> const Band* {
      const GeometrySummary* geometry = find_geometry(group.geometry, task);
      return geometry ? band(*geometry) : nullptr;
    };
  };
  plot.series = lines_of_groups(data, panel, of_group(after));
  plot.references = untrained_lines(data, panel, of_group(before));
  return drawn(plot);
}

/// The paper's figures 2 to 9 and 12 to 23, in its order.
constexpr std::array<std::string_view, 4> main_metrics = {"anisotropy", "norm", "adjusted_self_similarity",
                                                          "adjusted_intra_sentence_similarity"};

bool is_main(const std::string& metric) {
  return is_among(main_metrics, metric);
}

/// Returns the mean loss of the last tenth of the curve.
double last_loss(const Band& loss) {
  const std::vector<double> values = loss.lines().mean;
  return mean_of(std::span(values).last(std::min(values.size(), std::max<std::size_t>(1, values.size() / 10))));
}

void add_bounds(HtmlWriter& page, const ReportData& data, const std::vector<std::size_t>& groups) {
  if (std::none_of(groups.begin(), groups.end(), [&](std::size_t i) { return data.summaries[i].bounds.has_value(); }))
    return;
  page.element("p",
               "Loss of cosines if each positive's cosine is 1: the lower bound has all other sentences opposite to "
               "the anchor, the upper bound has them orthogonal to it (the paper's equations 11 and 10). If the upper "
               "bound is near 0, training need not push other sentences further away; if it is high, it does.");
  open_table(page, {"Loss and its bounds",
                    "Loss and its bounds, nats",
                    {"setting", "lower bound", "upper bound", "mean loss of the last tenth of steps"}});
  for (const std::size_t i : groups) {
    const GroupSummary& summary = data.summaries[i];
    if (!summary.bounds) continue;
    add_row(page, data.groups[i].label,
            {short_number(summary.bounds->lower), short_number(summary.bounds->upper),
             short_number(last_loss(summary.loss))});
  }
  close_table(page);
}

PlotFigure layer_plot(const ReportData& data, const GroupPanel& panel, const std::string& task,
                      const std::string& metric) {
  const auto band_of = [&](const Band LayerMetric::*state) -> BandOfGeometry {
    return [&, state](const GeometrySummary& geometry) -> const Band* {
      for (const LayerMetric& layer : geometry.layers)
        if (layer.metric == metric) return &(layer.*state);
      return nullptr;
    };
  };
  LinePlot plot;
  plot.title = title_in(panel, metric_title(metric, task) + " by layer");
  plot.x_label = "layer";
  plot.y_label = axis_label(metric, Unit::number);
  return plot_of_states(data, panel, task, std::move(plot), band_of(&LayerMetric::before),
                        band_of(&LayerMetric::after));
}

/// Returns the place of a metric among the main ones, behind all of them for another.
std::size_t place_of(const std::string& metric) {
  return static_cast<std::size_t>(std::find(main_metrics.begin(), main_metrics.end(), metric) - main_metrics.begin());
}

/// Returns the names of the metrics by layer, either the main ones or the others.
std::vector<std::string> layer_metrics(const ReportData& data, const ShownStage& stage, bool main) {
  std::vector<std::string> names;
  for (const std::size_t i : stage.groups)
    for (const LayerMetric& layer : geometry_of(data, i, stage.task).layers)
      if (is_main(layer.metric) == main) add_once(names, layer.metric);
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
  return names;
}

std::vector<const MetricBand*> step_metrics(const ReportData& data, const ShownStage& stage, bool main) {
  std::vector<const MetricBand*> metrics = changing_metrics(data, stage.groups);
  std::erase_if(metrics,
                [&](const MetricBand* band) { return band->task != stage.task || is_main(band->metric) != main; });
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const MetricBand* a, const MetricBand* b) { return place_of(a->metric) < place_of(b->metric); });
  return metrics;
}

/// Adds plots by step, then by layer.
void add_plots(HtmlWriter& page, const ReportData& data, const ShownStage& stage, const std::vector<GroupPanel>& panels,
               bool main) {
  std::vector<PlotFigure> metrics;
  for (const MetricBand* metric : step_metrics(data, stage, main))
    for (const GroupPanel& panel : panels) metrics.push_back(curve_of_metric(data, panel, *metric));
  for (const std::string& metric : layer_metrics(data, stage, main))
    for (const GroupPanel& panel : panels) metrics.push_back(layer_plot(data, panel, stage.task, metric));
  add_figures(page, metrics);
}

}  // namespace

void add_geometry(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = geometry_stages(data);
  if (stages.empty()) return;
  page.element(
      "p",
      "Plots by step show the last layer; step 0 is before training. Plots by layer show the state that was kept; "
      "layer 0 is the embeddings. For adjusted similarities the anisotropy of the same state and layer is subtracted.");
  for (const ShownStage& stage : stages) {
    add_heading(page, stage.heading);
    add_quiet(page, band_note(data, stage.groups));
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    add_plots(page, data, stage, panels, true);
    add_bounds(page, data, stage.groups);
    if (layer_metrics(data, stage, false).empty() && step_metrics(data, stage, false).empty()) continue;
    open_details(page, concat("Unadjusted and sampled metrics of ", stage.task), false);
    add_plots(page, data, stage, panels, false);
    page.close();
  }
}

}  // namespace gausscse
