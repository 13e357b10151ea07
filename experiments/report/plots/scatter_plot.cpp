#include "experiments/report/plots/scatter_plot.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/plot_figure.hpp"
#include "experiments/report/plots/svg_plot.hpp"

namespace gausscse {

namespace {

/// Limit on the points of a series.
constexpr std::size_t most_points_drawn = 600;

std::vector<double> evenly_chosen(const std::vector<double>& values) {
  if (values.size() <= most_points_drawn) return values;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < most_points_drawn; ++i) chosen.push_back(values[i * values.size() / most_points_drawn]);
  return chosen;
}

AxisRange range_of_points(const ScatterPlot& plot, const std::vector<double> PointSeries::*values) {
  std::vector<double> all;
  for (const PointSeries& series : plot.series) all.insert(all.end(), (series.*values).begin(), (series.*values).end());
  return range_of(all);
}

/// Returns both made so wide that a unit is as long on one axis as on the other.
std::pair<AxisRange, AxisRange> ranges_of_one_scale(const ScatterPlot& plot) {
  AxisRange x = range_of_points(plot, &PointSeries::x), y = range_of_points(plot, &PointSeries::y);
  const double unit = std::max((x.high - x.low) / (SvgPlot::right - SvgPlot::left),
                               (y.high - y.low) / (SvgPlot::bottom - SvgPlot::top));
  const auto widen = [&](AxisRange& range, double length) {
    const double middle = (range.low + range.high) / 2, half = unit * length / 2;
    range = {middle - half, middle + half};
  };
  widen(x, SvgPlot::right - SvgPlot::left);
  widen(y, SvgPlot::bottom - SvgPlot::top);
  return {x, y};
}

/// Returns how far each series reaches, in words.
std::string extents_of(const ScatterPlot& plot) {
  std::string text;
  for (const PointSeries& series : plot.series) {
    if (series.x.empty()) continue;
    const auto x = std::minmax_element(series.x.begin(), series.x.end());
    const auto y = std::minmax_element(series.y.begin(), series.y.end());
    text += concat(text.empty() ? "" : " ", series.label, ": ", series.x.size(), " points, from ",
                   short_number(*x.first), " to ", short_number(*x.second), " and from ", short_number(*y.first),
                   " to ", short_number(*y.second), ".");
  }
  return text;
}

}  // namespace

void add_figure(HtmlWriter& page, const ScatterPlot& plot) {
  const auto [x, y] = ranges_of_one_scale(plot);
  SvgPlot svg(plot.title, extents_of(plot), {plot.x_label, x, 1}, {plot.y_label, y, 1});
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    svg.points(i, evenly_chosen(plot.series[i].x), evenly_chosen(plot.series[i].y));
    legend.push_back({points_swatch(i), plot.series[i].label});
  }
  add_plot_figure(page, plot.title, svg.take(), legend);
}

}  // namespace gausscse
