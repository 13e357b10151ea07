#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/html/html_writer.hpp"

namespace gausscse {

/// Range of an axis that a plot shows: low < high, both finite.
struct AxisRange {
  double low = 0, high = 1;
  bool operator==(const AxisRange&) const = default;
};

/// Returns the least and the highest finite value of all, made wider by a twentieth at both ends; [0, 1] where there is
/// none. A single value has half a unit or a tenth to both sides, the larger of the two.
AxisRange range_of(std::span<const double> values);

/// Ticks of an axis and their labels.
struct AxisTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
};

/// Returns all multiples of a round step (1, 2 or 5 times a power of ten) in the range, with the smallest step that
/// gives at most `most` (>= 2) of them. Labels have as many decimals as the step; with `scale` 100 they are
/// percentages.
AxisTicks round_ticks(AxisRange range, std::size_t most, double scale = 1);

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
  /// Draws a line whose points all have a marker, and which is moved as `bars` are.
  void line_of_points(std::size_t series, std::span<const double> x, std::span<const double> y, double shift);
  /// Draws the area between two lines.
  void band(std::size_t series, std::span<const double> x, std::span<const double> low, std::span<const double> high);
  /// Draws an interval at each place as a vertical bar with ends. Intervals that are not finite are left out.
  /// `shift` moves them to the right, in the picture's units, so that bars of two series do not hide each other.
  void bars(std::size_t series, std::span<const double> x, std::span<const double> low, std::span<const double> high,
            double shift = 0);
  /// Draws a line to compare with, without markers; `number` distinguishes several of them.
  void reference(std::size_t number, std::span<const double> x, std::span<const double> y);
  /// Draws a histogram's outline: `heights[i]` from `low` + i * `width_of_bin` on; filled lightly.
  void steps(std::size_t series, double low, double width_of_bin, std::span<const double> heights);

  std::string take();

 private:
  void axes(const PlotAxis& x, const PlotAxis& y);
  std::string point(double x, double y, double shift = 0) const;
  void add_line(std::size_t series, std::span<const double> x, std::span<const double> y, std::size_t most_markers,
                double shift);

  AxisRange x_, y_;
  HtmlWriter svg_;
};

/// Returns a piece of the line of a series with its marker, for a legend.
std::string legend_swatch(std::size_t series, bool with_marker);
/// Returns the swatch of a line to compare with.
std::string reference_swatch(std::size_t number);

/// Returns the pattern of a series' line; empty: drawn through.
std::string dashes_of(std::size_t series);

/// Returns the pattern of a line to compare with.
std::string dashes_of_reference(std::size_t number);

/// Adds the sign of a series, of 7 units across, around a point. Signs are distinguished by shape.
void add_marker(HtmlWriter& svg, std::size_t series, double x, double y);

/// Returns "s3": the class that gives a series its colour.
std::string class_of_series(std::size_t series);

/// Entry of a legend for a series: a sign as SVG, and its label.
struct LegendEntry {
  std::string swatch;
  std::string label;
  bool operator==(const LegendEntry&) const = default;
};

/// A plot with its title, ready for a page.
struct PlotFigure {
  std::string title;
  std::string svg;
  std::vector<LegendEntry> legend;
  std::string note = {};  ///< remark below the picture; may be empty
};

/// Adds an element `figure`: the title, the picture, its note and its legend.
void add_figure(HtmlWriter& page, const PlotFigure& figure);

/// Adds figures next to each other. Those with the same legend are together, with one legend above them; a legend of a
/// single figure stays below its picture.
void add_figures(HtmlWriter& page, const std::vector<PlotFigure>& figures);

}  // namespace gausscse
