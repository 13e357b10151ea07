#pragma once

#include <string>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// A metric over two axes: a table whose cells are coloured from the lowest value to the highest.
struct HeatMap {
  std::string title;
  std::string row_axis, column_axis;
  std::vector<std::string> rows, columns;   ///< labels
  std::vector<std::vector<double>> values;  ///< [rows][columns]; NaN: no trial
  Unit unit = Unit::fraction;
};

/// Adds the map as an element `figure` with a table; the highest value is bold.
void add_figure(HtmlWriter& page, const HeatMap& map);

}  // namespace gausscse
