#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/numbers/histogram.hpp"
#include "experiments/report/plots/svg_plot.hpp"

namespace gausscse {

/// A line, with a band around it where `low` and `high` are given, or with a bar at each of its points.
struct LineSeries {
  std::string label;
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};
  bool bars = false;  ///< true if `low` and `high` are drawn as bars: they are intervals of single points
};

struct LinePlot {
  std::string title;
  std::string x_label, y_label;
  std::vector<LineSeries> series;
  std::vector<LineSeries> references = {};  ///< lines to compare with, grey and without bands
  bool percent = false;                     ///< true if the y axis shows fractions in percent
  std::optional<AxisRange> x_range;         ///< else all that there is
  std::optional<AxisRange> y_range;
  double x_scale = 1;  ///< factor of the labels of the x axis: 100 for fractions in percent
};

PlotFigure drawn(const LinePlot& plot);

/// Histograms of several groups in one picture, each as shares of its total, so that small groups can be compared with
/// large ones.
struct HistogramPlot {
  std::string title;
  std::string x_label;
  Histograms histograms;
};

/// Draws histograms; the note has the number of values outside the axis.
PlotFigure drawn(const HistogramPlot& plot);

}  // namespace gausscse
