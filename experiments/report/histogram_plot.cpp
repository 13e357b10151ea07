#include "experiments/report/histogram_plot.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "experiments/report/number_text.hpp"
#include "experiments/report/plot_figure.hpp"
#include "experiments/report/svg_plot.hpp"

namespace gausscse {

namespace {

/// Which bin of each group is the highest, in words.
std::string peaks_of(const HistogramPlot& plot) {
  std::string text = "Share of pairs by " + plot.x_label + ".";
  for (const HistogramPlot::Series& series : plot.series) {
    if (series.total == 0) continue;
    const auto highest = std::max_element(series.counts.begin(), series.counts.end());
    const double from = plot.low + static_cast<double>(highest - series.counts.begin()) * plot.width;
    text += concat(" ", series.label, ": ", series.total, " values, most between ", short_number(from), " and ",
                   short_number(from + plot.width), ".");
  }
  return text;
}

}  // namespace

void add_figure(HtmlWriter& page, const HistogramPlot& plot) {
  double highest = 0;
  std::size_t bins = 0;
  std::vector<std::vector<double>> shares;
  std::vector<LegendEntry> legend;
  for (const HistogramPlot::Series& series : plot.series) {
    std::vector<double>& of_series = shares.emplace_back();
    for (const std::int64_t count : series.counts)
      of_series.push_back(series.total > 0 ? static_cast<double>(count) / static_cast<double>(series.total) : 0.0);
    for (const double share : of_series) highest = std::max(highest, share);
    bins = std::max(bins, of_series.size());
    legend.push_back({legend_swatch(legend.size(), false), series.label});
  }
  const AxisRange x{plot.low, plot.low + static_cast<double>(std::max<std::size_t>(bins, 1)) * plot.width};
  SvgPlot svg(plot.title, peaks_of(plot), {plot.x_label, x, 1},
              {"share of pairs, %", {0, highest > 0 ? 1.05 * highest : 1}, 100});
  for (std::size_t i = 0; i < shares.size(); ++i) svg.steps(i, plot.low, plot.width, shares[i]);
  add_plot_figure(page, plot.title, svg.take(), legend);
}

HistogramPlot plot_of(std::string title, std::string x_label,
                      const std::vector<std::pair<std::string, const GrowingHistogram*>>& histograms,
                      std::size_t most) {
  HistogramPlot plot{std::move(title), std::move(x_label), 0, 1, {}};
  int exponent = -1000;
  for (const auto& [label, histogram] : histograms)
    if (histogram->total() > 0) exponent = std::max(exponent, histogram->exponent());
  if (exponent == -1000) return plot;
  std::int64_t first = 0, last = 0;
  const auto find_ends = [&] {
    bool any = false;
    for (const auto& [label, histogram] : histograms) {
      if (histogram->total() == 0) continue;
      const int times = exponent - histogram->exponent();
      const std::int64_t low = wider_bin(histogram->first(), times), high = wider_bin(histogram->last(), times);
      first = any ? std::min(first, low) : low;
      last = any ? std::max(last, high) : high;
      any = true;
    }
  };
  for (find_ends(); last - first >= static_cast<std::int64_t>(most); find_ends()) ++exponent;
  plot.width = std::ldexp(1.0, exponent);
  plot.low = static_cast<double>(first) * plot.width;
  for (const auto& [label, histogram] : histograms)
    if (histogram->total() > 0)
      plot.series.push_back({label, histogram->counts(exponent, first, last), histogram->total()});
  return plot;
}

}  // namespace gausscse
