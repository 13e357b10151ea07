#include "experiments/report/plots/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"

namespace gausscse {

AxisRange range_of(std::span<const double> values) {
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    // Beyond this the width of a range would be no number.
    if (!std::isfinite(value) || std::abs(value) > 1e300) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (range.low > range.high) return {0, 1};
  if (range.high - range.low <= 1e-9 * std::max(std::abs(range.low), std::abs(range.high))) {
    const double margin = std::max(0.5, 0.1 * std::abs(range.low));
    return {range.low - margin, range.high + margin};
  }
  const double margin = (range.high - range.low) / 20;
  return {range.low - margin, range.high + margin};
}

AxisTicks round_ticks(AxisRange range, std::size_t most, double scale) {
  const double low = range.low * scale, high = range.high * scale;
  // A hundredth of a step of grace, as the ends of a range are often multiples of it up to rounding.
  const auto first_of = [&](double step) { return std::ceil(low / step - 0.01); };
  const auto last_of = [&](double step) { return std::floor(high / step + 0.01); };
  double power = std::pow(10.0, std::floor(std::log10((high - low) / static_cast<double>(most))));
  double step = power;
  int factor = 1;
  while (last_of(step) - first_of(step) + 1 > static_cast<double>(most)) {
    factor = factor == 1 ? 2 : factor == 2 ? 5 : 1;
    if (factor == 1) power *= 10;
    step = power * factor;
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  AxisTicks ticks;
  for (double multiple = first_of(step); multiple <= last_of(step); ++multiple) {
    const double value = multiple * step;
    ticks.at.push_back(value / scale);
    ticks.labels.push_back(std::abs(value) >= 1e6 || decimals > 6 ? short_number(value)
                                                                  : decimal_text(value, decimals));
  }
  return ticks;
}

namespace {

constexpr std::size_t most_x_ticks = 7, most_y_ticks = 6;
/// Limit on the marks of a line; where it has more points, only evenly chosen ones are marked.
constexpr std::size_t most_markers_of_line = 8;

double place(double value, AxisRange range, double from, double to) {
  const double part = std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
  return from + part * (to - from);
}

/// Returns consecutive points of which no coordinate is missing: [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> whole_pieces(std::span<const double> a, std::span<const double> b,
                                                              std::span<const double> c) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= a.size(); ++i) {
    if (i < a.size() && std::isfinite(a[i]) && std::isfinite(b[i]) && std::isfinite(c[i])) continue;
    if (i > begin) pieces.emplace_back(begin, i);
    begin = i + 1;
  }
  return pieces;
}

}  // namespace

SvgPlot::SvgPlot(std::string_view title, std::string_view description, const PlotAxis& x, const PlotAxis& y)
    : x_(x.range), y_(y.range) {
  svg_.open("svg", {{"class", "plot"},
                    {"role", "img"},
                    {"viewBox", concat("0 0 ", width, " ", height)},
                    {"aria-label", std::string(title)}});
  svg_.element("title", title).element("desc", description);
  axes(x, y);
}

double SvgPlot::x_at(double value) const {
  return place(value, x_, left, right);
}

double SvgPlot::y_at(double value) const {
  return place(value, y_, bottom, top);
}

std::string SvgPlot::point(double x, double y, double shift) const {
  return coordinate_text(x_at(x) + shift) + " " + coordinate_text(y_at(y));
}

void SvgPlot::axes(const PlotAxis& x, const PlotAxis& y) {
  svg_.open("g", {{"class", "axes"}});
  const AxisTicks x_ticks = round_ticks(x.range, most_x_ticks, x.scale);
  const AxisTicks y_ticks = round_ticks(y.range, most_y_ticks, y.scale);
  for (const double at : y_ticks.at)
    svg_.empty("path", {{"class", "grid"}, {"d", concat("M", left, " ", coordinate_text(y_at(at)), "H", right)}});
  svg_.empty("path", {{"class", "axis"}, {"d", concat("M", left, " ", top, "V", bottom, "H", right)}});
  for (std::size_t i = 0; i < y_ticks.at.size(); ++i)
    svg_.element("text", y_ticks.labels[i],
                 {{"class", "end"}, {"x", coordinate_text(left - 6)}, {"y", coordinate_text(y_at(y_ticks.at[i]) + 4)}});
  for (std::size_t i = 0; i < x_ticks.at.size(); ++i) {
    const std::string at = coordinate_text(x_at(x_ticks.at[i]));
    svg_.empty("path", {{"class", "axis"}, {"d", concat("M", at, " ", bottom, "v4")}});
    svg_.element("text", x_ticks.labels[i], {{"class", "middle"}, {"x", at}, {"y", coordinate_text(bottom + 19)}});
  }
  svg_.element("text", x.label,
               {{"class", "middle"}, {"x", coordinate_text((left + right) / 2)}, {"y", coordinate_text(height - 8)}});
  const std::string middle = coordinate_text((top + bottom) / 2);
  // A longer label would leave the picture.
  constexpr std::size_t longest_label = 30;
  const char* style = y.label.size() > longest_label ? "middle long" : "middle";
  svg_.element("text", y.label, {{"class", style}, {"transform", concat("translate(12 ", middle, ") rotate(-90)")}});
  svg_.close();
}

void SvgPlot::line(std::size_t series, std::span<const double> x, std::span<const double> y) {
  add_line(series, x, y, most_markers_of_line, 0);
}

void SvgPlot::line_of_points(std::size_t series, std::span<const double> x, std::span<const double> y, double shift) {
  add_line(series, x, y, x.size(), shift);
}

void SvgPlot::add_line(std::size_t series, std::span<const double> x, std::span<const double> y,
                       std::size_t most_markers, double shift) {
  GAUSSCSE_CHECK(x.size() == y.size(), x.size(), " and ", y.size());
  std::string path;
  std::vector<std::size_t> drawn;
  for (const auto& [begin, end] : whole_pieces(x, y, y)) {
    for (std::size_t i = begin; i < end; ++i) {
      path += (i == begin ? "M" : "L") + point(x[i], y[i], shift);
      drawn.push_back(i);
    }
  }
  if (drawn.empty()) return;
  svg_.open("g", {{"class", class_of_series(series)}});
  svg_.empty("path", {{"class", "line"}, {"d", path}, {"stroke-dasharray", dashes_of(series)}});
  const std::size_t every = (drawn.size() + most_markers - 1) / most_markers;
  // Lines that lie on each other have their markers at other points.
  for (std::size_t i = every > 1 ? series % every : 0; i < drawn.size(); i += every)
    add_marker(svg_, series, x_at(x[drawn[i]]) + shift, y_at(y[drawn[i]]));
  svg_.close();
}

void SvgPlot::reference(std::size_t number, std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), x.size(), " and ", y.size());
  std::string path;
  for (const auto& [begin, end] : whole_pieces(x, y, y))
    for (std::size_t i = begin; i < end; ++i) path += (i == begin ? "M" : "L") + point(x[i], y[i]);
  if (path.empty()) return;
  svg_.empty("path", {{"class", "reference"}, {"d", path}, {"stroke-dasharray", dashes_of_reference(number)}});
}

void SvgPlot::band(std::size_t series, std::span<const double> x, std::span<const double> low,
                   std::span<const double> high) {
  GAUSSCSE_CHECK(x.size() == low.size() && x.size() == high.size(), x.size(), ", ", low.size(), ", ", high.size());
  std::string path;
  for (const auto& [begin, end] : whole_pieces(x, low, high)) {
    for (std::size_t i = begin; i < end; ++i) path += (i == begin ? "M" : "L") + point(x[i], high[i]);
    for (std::size_t i = end; i-- > begin;) path += "L" + point(x[i], low[i]);
    path += "Z";
  }
  if (path.empty()) return;
  svg_.open("g", {{"class", class_of_series(series)}}).empty("path", {{"class", "band"}, {"d", path}}).close();
}

void SvgPlot::bars(std::size_t series, std::span<const double> x, std::span<const double> low,
                   std::span<const double> high, double shift) {
  GAUSSCSE_CHECK(x.size() == low.size() && x.size() == high.size(), x.size(), ", ", low.size(), ", ", high.size());
  std::string path;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(low[i]) && std::isfinite(high[i]))
      path += concat("M", point(x[i], low[i], shift), "V", coordinate_text(y_at(high[i])), "m-3 0h6M",
                     point(x[i], low[i], shift), "m-3 0h6");
  if (path.empty()) return;
  svg_.open("g", {{"class", class_of_series(series)}}).empty("path", {{"class", "bar"}, {"d", path}}).close();
}

void SvgPlot::steps(std::size_t series, double low, double width_of_bin, std::span<const double> heights) {
  std::string path = "M" + point(low, y_.low);
  for (std::size_t i = 0; i < heights.size(); ++i)
    path += concat("V", coordinate_text(y_at(heights[i])), "H",
                   coordinate_text(x_at(low + static_cast<double>(i + 1) * width_of_bin)));
  path += concat("V", coordinate_text(bottom));
  svg_.open("g", {{"class", class_of_series(series)}});
  svg_.empty("path", {{"class", "band"}, {"d", path}});
  svg_.empty("path", {{"class", "line"}, {"d", path}, {"stroke-dasharray", dashes_of(series)}});
  svg_.close();
}

std::string SvgPlot::take() {
  svg_.close();
  return svg_.take();
}

std::string legend_swatch(std::size_t series, bool with_marker) {
  HtmlWriter svg;
  svg.open("svg",
           {{"class", concat("swatch ", class_of_series(series))}, {"viewBox", "0 0 34 12"}, {"aria-hidden", "true"}});
  svg.empty("path", {{"class", "line"}, {"d", "M1 6H33"}, {"stroke-dasharray", dashes_of(series)}});
  if (with_marker) add_marker(svg, series, 17, 6);
  svg.close();
  return svg.take();
}

std::string reference_swatch(std::size_t number) {
  HtmlWriter svg;
  svg.open("svg", {{"class", "swatch"}, {"viewBox", "0 0 34 12"}, {"aria-hidden", "true"}});
  svg.empty("path", {{"class", "reference"}, {"d", "M1 6H33"}, {"stroke-dasharray", dashes_of_reference(number)}});
  svg.close();
  return svg.take();
}

}  // namespace gausscse
