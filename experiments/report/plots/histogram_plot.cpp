#include "experiments/report/plots/histogram_plot.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/plot_figure.hpp"
#include "experiments/report/plots/svg_plot.hpp"

namespace gausscse {

namespace {

/// Returns which bin of each group is the highest, in words.
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

void add_figure(HtmlWriter& page, const HistogramPlot& plot) {
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
  add_plot_figure(page, plot.title, svg.take(), legend);
}

}  // namespace gausscse
