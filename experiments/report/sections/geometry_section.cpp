#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

/// Returns whether bands are alike: rounding on another machine makes no other state.
bool are_alike(const Band& a, const Band& b) {
  constexpr double tolerance = 1e-4;
  if (a.x != b.x) return false;
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    if (std::isnan(a.mean[i]) && std::isnan(b.mean[i])) continue;
    if (!(std::abs(a.mean[i] - b.mean[i]) <= tolerance * std::max(1.0, std::abs(a.mean[i])))) return false;
  }
  return true;
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

}  // namespace

std::vector<StageOfTask> geometry_stages(const ReportData& data, HasGeometry shown) {
  std::vector<StageOfTask> found;
  const std::vector<ShownStage> stages = shown_stages(data);
  std::vector<std::string> tasks;
  for (const ShownStage& stage : stages)
    for (const std::size_t i : stage.groups)
      for (const GeometrySummary& summary : data.summaries[i].geometry) add_once(tasks, summary.task);
  for (const ShownStage& stage : stages) {
    for (const std::string& task : tasks) {
      StageOfTask of_task{heading_of(stage, stages.size()), task, {}};
      if (tasks.size() > 1) of_task.heading += (of_task.heading.empty() ? "Task " : ", task ") + task;
      for (const std::size_t i : stage.groups)
        if (const GeometrySummary* summary = find_geometry(data.summaries[i].geometry, task);
            summary && shown(*summary))
          of_task.groups.push_back(i);
      if (!of_task.groups.empty()) found.push_back(std::move(of_task));
    }
  }
  return found;
}

std::vector<LineSeries> untrained_lines(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  struct Alike {
    const Band* band;
    std::vector<std::size_t> members;
  };
  std::vector<Alike> different;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    if (!of_group || of_group->x.empty()) continue;
    const auto known = std::find_if(different.begin(), different.end(),
                                    [&](const Alike& alike) { return are_alike(*alike.band, *of_group); });
    if (known == different.end())
      different.push_back({of_group, {i}});
    else
      known->members.push_back(i);
  }
  std::vector<LineSeries> lines;
  for (const Alike& alike : different) {
    const std::string label = different.size() == 1 ? "" : concat(", ", shared_labels(data, panel, alike.members));
    lines.push_back({"before training" + label, alike.band->x, alike.band->mean, {}, {}});
  }
  return lines;
}

void add_head_of_states(HtmlWriter& page, const std::vector<std::string>& first_columns,
                        const std::vector<std::string>& columns) {
  page.open("thead").open("tr");
  for (const std::string& column : first_columns)
    page.element("th", column, {{"scope", "col"}, {"rowspan", "2"}, {"class", "words"}});
  for (const char* state : {"before training", "after training"})
    page.element("th", state, {{"scope", "colgroup"}, {"colspan", std::to_string(columns.size())}});
  page.close().open("tr");
  for (int state = 0; state < 2; ++state)
    for (const std::string& column : columns) page.element("th", column, {{"scope", "col"}});
  page.close().close();
}

namespace {

/// The paper's figures 2 to 9 and 12 to 23, in its order.
constexpr std::array<std::string_view, 4> main_figures = {"anisotropy", "norm", "adjusted_self_similarity",
                                                          "adjusted_intra_sentence_similarity"};

bool is_main(const std::string& figure) {
  return is_among(main_figures, figure);
}

/// Returns the mean loss of the last tenth of the curve.
double last_loss(const Band& loss) {
  const std::size_t count = std::max<std::size_t>(1, loss.mean.size() / 10);
  if (loss.mean.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = loss.mean.size() - count; i < loss.mean.size(); ++i) sum += loss.mean[i];
  return sum / static_cast<double>(count);
}

void add_bounds(HtmlWriter& page, const ReportData& data, const std::vector<std::size_t>& groups) {
  if (std::none_of(groups.begin(), groups.end(), [&](std::size_t i) { return data.summaries[i].bounds.has_value(); }))
    return;
  page.element("p",
               "Loss of cosines if each positive's cosine is 1: the lower bound has all other sentences opposite to "
               "the anchor, the upper bound has them orthogonal to it (the paper's equations 11 and 10). If the upper "
               "bound is near 0, training need not push other sentences further away; if it is high, it does.");
  open_scroll(page, "Loss and its bounds");
  page.open("table").element("caption", "Loss and its bounds, nats").open("thead").open("tr");
  page.element("th", "setting", {{"scope", "col"}, {"class", "words"}});
  for (const char* column : {"lower bound", "upper bound", "mean loss of the last tenth of steps"})
    page.element("th", column, {{"scope", "col"}});
  page.close().close().open("tbody");
  for (const std::size_t i : groups) {
    const GroupSummary& summary = data.summaries[i];
    if (!summary.bounds) continue;
    page.open("tr").element("th", data.groups[i].label, {{"scope", "row"}});
    for (const double value : {summary.bounds->lower, summary.bounds->upper, last_loss(summary.loss)})
      page.element("td", short_number(value));
    page.close();
  }
  page.close().close().close();
}

void add_layer_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const std::string& task,
                    const std::string& figure) {
  const auto band_of = [&](const Band LayerFigure::*state) -> BandOfGroup {
    return [&, state](const GroupSummary& summary) -> const Band* {
      const GeometrySummary* geometry = find_geometry(summary.geometry, task);
      if (!geometry) return nullptr;
      for (const LayerFigure& layer : geometry->layers)
        if (layer.figure == figure) return &(layer.*state);
      return nullptr;
    };
  };
  LinePlot plot;
  plot.title = title_in(panel, figure_title(figure, task) + " by layer");
  plot.x_label = "layer";
  plot.y_label = axis_label(figure, Unit::number);
  plot.series = lines_of_groups(data, panel, band_of(&LayerFigure::after));
  plot.references = untrained_lines(data, panel, band_of(&LayerFigure::before));
  add_figure(page, plot);
}

/// Names of the metrics by layer, the main ones first, those of `main` or the others.
std::vector<std::string> layer_figures(const ReportData& data, const StageOfTask& stage, bool main) {
  std::vector<std::string> names;
  if (main) names.assign(main_figures.begin(), main_figures.end());
  std::vector<std::string> there;
  for (const std::size_t i : stage.groups)
    for (const LayerFigure& layer : find_geometry(data.summaries[i].geometry, stage.task)->layers)
      add_once(there, layer.figure);
  std::erase_if(names, [&](const std::string& name) { return !is_among(there, name); });
  if (main) return names;
  std::erase_if(there, is_main);
  return there;
}

std::vector<const FigureBand*> step_figures(const ReportData& data, const StageOfTask& stage, bool main) {
  std::vector<const FigureBand*> figures = changing_figures(data, stage.groups);
  std::erase_if(figures,
                [&](const FigureBand* band) { return band->task != stage.task || is_main(band->figure) != main; });
  std::stable_sort(figures.begin(), figures.end(), [](const FigureBand* a, const FigureBand* b) {
    return std::find(main_figures.begin(), main_figures.end(), a->figure) <
           std::find(main_figures.begin(), main_figures.end(), b->figure);
  });
  return figures;
}

/// Adds plots by step, then by layer.
void add_plots(HtmlWriter& page, const ReportData& data, const StageOfTask& stage,
               const std::vector<GroupPanel>& panels, bool main) {
  page.open("div", {{"class", "figures"}});
  for (const FigureBand* figure : step_figures(data, stage, main))
    for (const GroupPanel& panel : panels) add_curve_of_figure(page, data, panel, *figure);
  for (const std::string& figure : layer_figures(data, stage, main))
    for (const GroupPanel& panel : panels) add_layer_plot(page, data, panel, stage.task, figure);
  page.close();
}

}  // namespace

bool add_geometry(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<StageOfTask> stages =
      geometry_stages(data, [](const GeometrySummary& summary) { return !summary.layers.empty(); });
  if (stages.empty()) return false;
  open_section(page, "geometry", "Token geometry");
  page.element(
      "p",
      "Plots by step show the last layer; step 0 is before training. Plots by layer show the state that was kept; "
      "layer 0 is the embeddings. For adjusted similarities the anisotropy of the same state and layer is subtracted.");
  for (const StageOfTask& stage : stages) {
    if (!stage.heading.empty()) page.element("h3", stage.heading);
    page.element("p", band_note(data, stage.groups), {{"class", "quiet"}});
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    add_plots(page, data, stage, panels, true);
    add_bounds(page, data, stage.groups);
    if (layer_figures(data, stage, false).empty() && step_figures(data, stage, false).empty()) continue;
    open_details(page, concat("Unadjusted and sampled metrics of ", stage.task), false);
    add_plots(page, data, stage, panels, false);
    page.close();
  }
  page.close();
  return true;
}

}  // namespace gausscse
