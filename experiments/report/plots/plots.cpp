#include "experiments/report/plots/plots.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
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

/// Returns the first and last point of each line, in words.
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

PlotFigure drawn(const LinePlot& plot) {
  SvgPlot svg(plot.title, description_of(plot),
              {plot.x_label, plot.x_range.value_or(range_of_lines(plot, true)), plot.x_scale},
              {plot.y_label, plot.y_range.value_or(range_of_lines(plot, false)), plot.percent ? 100.0 : 1.0});
  // Bars at one place stand next to each other, around it.
  const auto shift_of = [&](std::size_t i) {
    constexpr double distance = 6;
    return distance * (static_cast<double>(i) - static_cast<double>(plot.series.size() - 1) / 2);
  };
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const LineSeries& series = plot.series[i];
    if (series.low.empty()) continue;
    if (series.bars)
      svg.bars(i, series.x, series.low, series.high, shift_of(i));
    else
      svg.band(i, series.x, series.low, series.high);
  }
  for (std::size_t i = 0; i < plot.references.size(); ++i) svg.reference(i, plot.references[i].x, plot.references[i].y);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const LineSeries& series = plot.series[i];
    if (series.bars)
      svg.line_of_points(i, series.x, series.y, shift_of(i));
    else
      svg.line(i, series.x, series.y);
  }
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.series.size(); ++i) legend.push_back({legend_swatch(i, true), plot.series[i].label});
  for (std::size_t i = 0; i < plot.references.size(); ++i)
    legend.push_back({reference_swatch(i), plot.references[i].label});
  return {plot.title, svg.take(), std::move(legend)};
}

namespace {

/// Returns the number of values that the axis leaves out, in words; empty for none.
std::string outside_of(const Histograms& histograms) {
  std::int64_t below = 0, above = 0, total = 0;
  for (const Histograms::Series& series : histograms.series) {
    below += series.below;
    above += series.above;
    total += series.total;
  }
  if (below + above == 0) return "";
  return concat("Outside the axis: ", below, " of ", total, " below, ", above, " above.");
}

/// Returns the highest bin of each group, in words.
std::string peaks_of(const HistogramPlot& plot) {
  const double low = plot.histograms.low, width = plot.histograms.width;
  std::string text = "Share of pairs by " + plot.x_label + ".";
  for (const Histograms::Series& series : plot.histograms.series) {
    if (series.total == 0) continue;
    const auto highest = std::max_element(series.counts.begin(), series.counts.end());
    const double from = low + static_cast<double>(highest - series.counts.begin()) * width;
    text += concat(" ", series.label, ": ", series.total, " values, most between ", short_number(from), " and ",
                   short_number(from + width), ".");
  }
  return text;
}

}  // namespace

PlotFigure drawn(const HistogramPlot& plot) {
  const double low = plot.histograms.low, width = plot.histograms.width;
  double highest = 0;
  std::size_t bins = 0;
  std::vector<std::vector<double>> shares;
  std::vector<LegendEntry> legend;
  for (const Histograms::Series& series : plot.histograms.series) {
    std::vector<double>& of_series = shares.emplace_back();
    for (const std::int64_t count : series.counts)
      of_series.push_back(series.total > 0 ? static_cast<double>(count) / static_cast<double>(series.total) : 0.0);
    for (const double share : of_series) highest = std::max(highest, share);
    bins = std::max(bins, of_series.size());
    legend.push_back({legend_swatch(legend.size(), false), series.label});
  }
  const AxisRange x{low, low + static_cast<double>(std::max<std::size_t>(bins, 1)) * width};
  SvgPlot svg(plot.title, peaks_of(plot), {plot.x_label, x, 1},
              {"share of pairs, %", {0, highest > 0 ? 1.05 * highest : 1}, 100});
  for (std::size_t i = 0; i < shares.size(); ++i) svg.steps(i, low, width, shares[i]);
  return {plot.title, svg.take(), std::move(legend), outside_of(plot.histograms)};
}

}  // namespace gausscse
