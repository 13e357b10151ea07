#include <algorithm>
#include <cmath>

#include "experiments/report/html_text.hpp"
#include "experiments/report/line_plot.hpp"
#include "experiments/report/report_sections.hpp"
#include "experiments/report/section_parts.hpp"

namespace gausscse {

namespace {

const FigureBand* find_band(const std::vector<FigureBand>& bands, const std::string& task, const std::string& figure) {
  for (const FigureBand& band : bands)
    if (band.task == task && band.figure == figure) return &band;
  return nullptr;
}

/// The figures that the groups have, without those that no step changes in any of them.
std::vector<const FigureBand*> figures_over(const ReportData& data, const std::vector<std::size_t>& groups,
                                            const std::vector<FigureBand> GroupSummary::*bands) {
  std::vector<const FigureBand*> figures;
  std::vector<bool> changes;
  for (const std::size_t i : groups) {
    for (const FigureBand& band : data.summaries[i].*bands) {
      auto known = std::find_if(figures.begin(), figures.end(), [&](const FigureBand* figure) {
        return figure->task == band.task && figure->figure == band.figure;
      });
      const auto at = static_cast<std::size_t>(known - figures.begin());
      if (known == figures.end()) {
        figures.push_back(&band);
        changes.push_back(false);
      }
      for (const double value : band.band.mean)
        if (std::isfinite(value) && value != band.band.mean.front()) changes[at] = true;
    }
  }
  std::vector<const FigureBand*> changing;
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (changes[i]) changing.push_back(figures[i]);
  return changing;
}

std::string title_in(const GroupPanel& panel, const std::string& title) {
  constexpr std::size_t longest_title = 160;
  return shortened(panel.title.empty() ? title : title + ": " + panel.title, longest_title);
}

void add_figure_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const FigureBand& figure,
                     const std::vector<FigureBand> GroupSummary::*bands, const char* x_label) {
  LinePlot plot;
  plot.title = title_in(panel, figure_title(figure.figure, figure.task) + " by " + x_label);
  plot.x_label = x_label;
  plot.y_label = axis_label(figure.figure, figure.unit);
  plot.percent = figure.unit == Unit::fraction;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const FigureBand* band = find_band(data.summaries[panel.groups[i]].*bands, figure.task, figure.figure);
    // A group without the figure keeps its place, so that colours mean the same in all plots of a stage.
    plot.series.push_back(band ? line_of(band->band, panel.labels[i]) : LineSeries{panel.labels[i], {}, {}, {}, {}});
  }
  add_figure(page, plot);
}

void add_loss_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel) {
  LinePlot plot;
  plot.title = title_in(panel, "Training loss by step");
  plot.x_label = "step";
  plot.y_label = "loss, nats";
  for (std::size_t i = 0; i < panel.groups.size(); ++i)
    plot.series.push_back(line_of(data.summaries[panel.groups[i]].loss, panel.labels[i]));
  add_figure(page, plot);
}

bool is_geometry(const ReportData& data, const std::string& task) {
  for (const GroupSummary& summary : data.summaries)
    for (const MeanFigure& mean : summary.figures)
      if (mean.task == task) return mean.kind == "geometry";
  return false;
}

/// Panels of a stage with plots of all `bands`, those of geometry tasks or those of others.
void add_bands(HtmlWriter& page, const ReportData& data, const ShownStage& stage, const char* x_label,
               const std::vector<FigureBand> GroupSummary::*bands, bool of_geometry) {
  const std::vector<const FigureBand*> figures = figures_over(data, stage.groups, bands);
  const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
  for (const FigureBand* figure : figures)
    if (is_geometry(data, figure->task) == of_geometry)
      for (const GroupPanel& panel : panels) add_figure_plot(page, data, panel, *figure, bands, x_label);
}

}  // namespace

bool add_learning_curves(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = shown_stages(data);
  if (stages.empty()) return false;
  open_section(page, "curves", "Learning curves");
  for (const ShownStage& stage : stages) {
    if (const std::string heading = heading_of(stage, stages.size()); !heading.empty()) page.element("h3", heading);
    add_left_out(page, stage);
    if (stage.groups.empty()) continue;
    page.element("p", band_note(data, stage.groups), {{"class", "quiet"}});
    page.open("div", {{"class", "figures"}});
    for (const GroupPanel& panel : panels_of(data.groups, stage.groups, most_lines)) add_loss_plot(page, data, panel);
    add_bands(page, data, stage, "step", &GroupSummary::curves, false);
    page.close();
  }
  page.close();
  return true;
}

bool add_geometry(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = shown_stages(data);
  const bool any = std::any_of(data.summaries.begin(), data.summaries.end(),
                               [](const GroupSummary& summary) { return !summary.layers.empty(); });
  if (!any) return false;
  open_section(page, "geometry", "Token geometry");
  page.element("p", "By layer in the state that was kept, layer 0 being the embeddings; by step in the last layer.");
  for (const ShownStage& stage : stages) {
    if (stage.groups.empty()) continue;
    if (const std::string heading = heading_of(stage, stages.size()); !heading.empty()) page.element("h3", heading);
    page.open("div", {{"class", "figures"}});
    add_bands(page, data, stage, "layer", &GroupSummary::layers, true);
    add_bands(page, data, stage, "step", &GroupSummary::curves, true);
    page.close();
  }
  page.close();
  return true;
}

}  // namespace gausscse
