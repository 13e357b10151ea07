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

/// As an element `figure`, with its legend. Of a series of many points evenly chosen ones are drawn.
void add_figure(HtmlWriter& page, const ScatterPlot& plot);

}  // namespace gausscse
