#pragma once

#include <string>
#include <vector>

#include "experiments/report/html/html_writer.hpp"

namespace gausscse {

/// Entry of a legend for a series: a sign as SVG, and its label.
struct LegendEntry {
  std::string swatch;
  std::string label;
};

/// Adds an element `figure`: the title, the picture, and a legend.
void add_plot_figure(HtmlWriter& page, const std::string& title, const std::string& svg,
                     const std::vector<LegendEntry>& legend);

}  // namespace gausscse
