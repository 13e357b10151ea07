#pragma once

#include <string>
#include <vector>

#include "experiments/report/html/html_writer.hpp"

namespace gausscse {

struct PointSeries {
  std::string label;
  std::vector<double> x, y;
};

/// Points of several series in a plane, whose axes have the same scale.
struct ScatterPlot {
  std::string title;
  std::string x_label, y_label;
  std::vector<PointSeries> series;
};

/// Adds the plot as an element `figure`, with its legend. A series of many points is drawn by evenly chosen ones.
void add_figure(HtmlWriter& page, const ScatterPlot& plot);

}  // namespace gausscse
