#pragma once

#include <string>

#include "experiments/report/histogram.hpp"
#include "experiments/report/html_writer.hpp"

namespace gausscse {

/// Histograms of several groups in one picture, each as shares of its own total, so that small groups can be compared
/// with large ones.
struct HistogramPlot {
  std::string title;
  std::string x_label;
  Histograms histograms;
};

void add_figure(HtmlWriter& page, const HistogramPlot& plot);

}  // namespace gausscse
