#include "experiments/report/sections/band_plots.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/report/html/html_text.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

std::string title_in(const GroupPanel& panel, const std::string& title) {
  constexpr std::size_t longest_title = 160;
  return shortened(panel.title.empty() ? title : title + ": " + panel.title, longest_title);
}

LineSeries line_of(const Band& band, std::string label) {
  LineSeries line{std::move(label), band.x, band.mean, {}, {}};
  if (band.seeds > 1) {
    line.low = band.low;
    line.high = band.high;
  }
  return line;
}

std::vector<LineSeries> lines_of_groups(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  std::vector<LineSeries> lines;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    lines.push_back(of_group ? line_of(*of_group, panel.labels[i]) : LineSeries{panel.labels[i], {}, {}, {}, {}});
  }
  return lines;
}

std::vector<const FigureBand*> changing_figures(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<const FigureBand*> figures;
  std::vector<bool> changes;
  for (const std::size_t i : groups) {
    for (const FigureBand& band : data.summaries[i].curves) {
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

void add_curve_of_figure(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const FigureBand& figure) {
  LinePlot plot;
  plot.title = title_in(panel, figure_title(figure.figure, figure.task) + " by step");
  plot.x_label = "step";
  plot.y_label = axis_label(figure.figure, figure.unit);
  plot.percent = figure.unit == Unit::fraction;
  plot.series = lines_of_groups(data, panel, [&](const GroupSummary& summary) -> const Band* {
    for (const FigureBand& band : summary.curves)
      if (band.task == figure.task && band.figure == figure.figure) return &band.band;
    return nullptr;
  });
  add_figure(page, plot);
}

bool is_of_kind(const ReportData& data, const std::string& task, const std::string& kind) {
  for (const GroupSummary& summary : data.summaries)
    for (const MeanFigure& mean : summary.figures)
      if (mean.task == task) return mean.kind == kind;
  return false;
}

}  // namespace gausscse
