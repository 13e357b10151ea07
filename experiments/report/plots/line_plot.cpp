#include "experiments/report/plots/line_plot.hpp"

#include <cmath>
#include <span>

#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/plot_figure.hpp"
#include "experiments/report/plots/svg_plot.hpp"

namespace gausscse {

namespace {

AxisRange range_of_lines(const LinePlot& plot, bool of_x) {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& values) { all.insert(all.end(), values.begin(), values.end()); };
  for (const std::vector<LineSeries>* lines : {&plot.series, &plot.references}) {
    for (const LineSeries& series : *lines) {
      add(of_x ? series.x : series.y);
      if (of_x) continue;
      add(series.low);
      add(series.high);
    }
  }
  AxisRange range = range_of(all);
  if (of_x && !all.empty() && range != range_of({})) {
    // Lines begin and end at the frame.
    const double margin = (range.high - range.low) / 22;
    range = {range.low + margin, range.high - margin};
    // The mean of the first steps lies a little over 0.
    if (range.low > 0 && range.low < 0.05 * range.high) range.low = 0;
  }
  return range;
}

/// Returns where a line begins and ends, in words.
std::string ends_of(const LinePlot& plot, const LineSeries& series) {
  const double scale = plot.percent ? 100 : 1;
  std::size_t first = 0, last = series.y.size();
  while (first < last && !std::isfinite(series.y[first])) ++first;
  while (last > first && !std::isfinite(series.y[last - 1])) --last;
  if (first == last) return "";
  std::string text = " " + series.label + ": " + short_number(series.y[first] * scale) + " at " +
                     short_number(series.x[first] * plot.x_scale);
  if (last - first > 1)
    text += ", " + short_number(series.y[last - 1] * scale) + " at " + short_number(series.x[last - 1] * plot.x_scale);
  return text + ".";
}

std::string description_of(const LinePlot& plot) {
  std::string text = plot.y_label + " by " + plot.x_label + ".";
  for (const LineSeries& series : plot.series) text += ends_of(plot, series);
  for (const LineSeries& series : plot.references) text += ends_of(plot, series);
  return text;
}

}  // namespace

void add_figure(HtmlWriter& page, const LinePlot& plot) {
  SvgPlot svg(plot.title, description_of(plot),
              {plot.x_label, plot.x_range.value_or(range_of_lines(plot, true)), plot.x_scale},
              {plot.y_label, plot.y_range.value_or(range_of_lines(plot, false)), plot.percent ? 100.0 : 1.0});
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    if (!plot.series[i].low.empty()) svg.band(i, plot.series[i].x, plot.series[i].low, plot.series[i].high);
  for (std::size_t i = 0; i < plot.references.size(); ++i) svg.reference(i, plot.references[i].x, plot.references[i].y);
  for (std::size_t i = 0; i < plot.series.size(); ++i) svg.line(i, plot.series[i].x, plot.series[i].y);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.series.size(); ++i) legend.push_back({legend_swatch(i, true), plot.series[i].label});
  for (std::size_t i = 0; i < plot.references.size(); ++i)
    legend.push_back({reference_swatch(i), plot.references[i].label});
  add_plot_figure(page, plot.title, svg.take(), legend);
}

}  // namespace gausscse
