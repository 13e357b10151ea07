#pragma once

#include <string>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/numbers/histogram.hpp"

namespace gausscse {

/// Histograms of several groups in one picture, each as shares of its total, so that small groups can be compared with
/// large ones.
struct HistogramPlot {
  std::string title;
  std::string x_label;
  Histograms histograms;
};

void add_figure(HtmlWriter& page, const HistogramPlot& plot);

}  // namespace gausscse
