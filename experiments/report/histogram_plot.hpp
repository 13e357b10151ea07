#pragma once

#include <string>
#include <vector>

#include "experiments/report/histogram.hpp"
#include "experiments/report/html_writer.hpp"

namespace gausscse {

/// Histograms of several groups in one picture, each as shares of its own total, so that small groups can be compared
/// with large ones.
struct HistogramPlot {
  struct Series {
    std::string label;
    std::vector<std::int64_t> counts;  ///< one a bin
    std::int64_t total = 0;            ///< that shares are of
  };

  std::string title;
  std::string x_label;
  double low = 0, width = 1;  ///< of the first bin
  std::vector<Series> series;
};

void add_figure(HtmlWriter& page, const HistogramPlot& plot);

/// The histograms over the same bins, at most `most` of them, from the first to the last that holds something. Those
/// without values are left out.
HistogramPlot plot_of(std::string title, std::string x_label,
                      const std::vector<std::pair<std::string, const GrowingHistogram*>>& histograms, std::size_t most);

}  // namespace gausscse
