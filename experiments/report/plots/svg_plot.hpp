#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/plots/axis_ticks.hpp"

namespace gausscse {

/// An axis of a plot.
struct PlotAxis {
  std::string label;
  AxisRange range;
  double scale = 1;  ///< factor of the labels: 100 for fractions in percent
};

/// A plot with two axes as SVG. Points outside an axis' range are drawn at its end. Colours come from the page's style:
/// the class sN represents the series N.
class SvgPlot {
 public:
  // Sizes in the plot's own units; the page scales it to its place.
  static constexpr double width = 400, height = 260;
  static constexpr double left = 60, right = 388, top = 10, bottom = 212;
  static constexpr std::size_t styles = 8;  ///< series after these look like the first ones again

  /// Begins a plot. `title` and `description` are for those who cannot see it.
  SvgPlot(std::string_view title, std::string_view description, const PlotAxis& x, const PlotAxis& y);

  double x_at(double value) const;
  double y_at(double value) const;

  /// Draws a line through the points, broken where one of them is not finite; with markers.
  void line(std::size_t series, std::span<const double> x, std::span<const double> y);
  /// Draws the area between two lines.
  void band(std::size_t series, std::span<const double> x, std::span<const double> low, std::span<const double> high);
  /// Draws a line to compare with, without markers; `number` distinguishes several of them.
  void reference(std::size_t number, std::span<const double> x, std::span<const double> y);
  /// Draws single points, dots or crosses by turns. Points that are not finite are left out.
  void points(std::size_t series, std::span<const double> x, std::span<const double> y);
  /// Draws a histogram's outline: `heights[i]` from `low` + i * `width_of_bin` on; filled lightly.
  void steps(std::size_t series, double low, double width_of_bin, std::span<const double> heights);

  std::string take();

 private:
  void axes(const PlotAxis& x, const PlotAxis& y);
  std::string point(double x, double y) const;

  AxisRange x_, y_;
  HtmlWriter svg_;
};

/// Returns a piece of the line of a series with its marker, for a legend.
std::string legend_swatch(std::size_t series, bool with_marker);
/// Returns the same of a line to compare with, and of a series of points.
std::string reference_swatch(std::size_t number);
std::string points_swatch(std::size_t series);

}  // namespace gausscse
