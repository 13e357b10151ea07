#include "experiments/report/plots/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"

namespace gausscse {

namespace {

double linear_light(double part) {
  const double value = part / 255;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const Colour& colour) {
  return 0.2126 * linear_light(colour.red) + 0.7152 * linear_light(colour.green) + 0.0722 * linear_light(colour.blue);
}

constexpr std::array<Colour, 5> heat_colours = {
    {{16, 42, 92}, {66, 84, 110}, {122, 121, 118}, {186, 166, 98}, {252, 222, 80}}};

}  // namespace

std::string to_text(const Colour& colour) {
  const auto whole = [](double part) { return static_cast<unsigned>(std::lround(std::clamp(part, 0.0, 255.0))); };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", whole(colour.red), whole(colour.green), whole(colour.blue));
  return text;
}

Colour heat_colour(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(heat_colours.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(place), heat_colours.size() - 2);
  const double share = place - static_cast<double>(before);
  const Colour &from = heat_colours[before], &to = heat_colours[before + 1];
  return {from.red + share * (to.red - from.red), from.green + share * (to.green - from.green),
          from.blue + share * (to.blue - from.blue)};
}

double contrast(const Colour& a, const Colour& b) {
  const double of_a = luminance(a), of_b = luminance(b);
  return (std::max(of_a, of_b) + 0.05) / (std::min(of_a, of_b) + 0.05);
}

Colour readable_on(const Colour& background) {
  const Colour black{0, 0, 0}, white{255, 255, 255};
  return contrast(background, black) >= contrast(background, white) ? black : white;
}

namespace {

constexpr std::size_t longest_heading = 60;

struct HeatRange {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

/// All colours are spread over this at least, so that a small difference looks small.
constexpr double least_spread_of_fractions = 0.05;

/// Returns the place of a value among the colours, in [0, 1].
double place_of(double value, const HeatRange& range, Unit unit) {
  const double middle = (range.low + range.high) / 2;
  const double spread = std::max(range.high - range.low, unit == Unit::fraction ? least_spread_of_fractions : 0);
  return 0.5 + (value - middle) / spread;
}

HeatRange heat_range_of(const HeatMap& map) {
  HeatRange range;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  return range;
}

void add_cell(HtmlWriter& page, double value, bool is_untrained, const HeatRange& range, Unit unit) {
  if (!std::isfinite(value)) {
    page.element("td", "-", {{"class", "missing"}});
    return;
  }
  const std::string text = metric_value_text(value, unit), highest = metric_value_text(range.high, unit);
  if (highest == metric_value_text(range.low, unit)) {
    page.open("td");
  } else {
    const Colour background = heat_colour(place_of(value, range, unit));
    page.open("td",
              {{"style", concat("background:", to_text(background), ";color:", to_text(readable_on(background)))}});
  }
  if (text == highest && highest != metric_value_text(range.low, unit) && !is_untrained) {
    page.element("strong", text);
  } else {
    page.text(text);
  }
  if (is_untrained) page.text(untrained_mark_of_page);
  page.close();
}

}  // namespace

void add_figure(HtmlWriter& page, const HeatMap& map) {
  GAUSSCSE_CHECK(map.values.size() == map.rows.size(), map.values.size(), " rows, ", map.rows.size(), " labels");
  const HeatRange range = heat_range_of(map);
  page.open("figure").element("figcaption", map.title);
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", map.title}});
  page.open("table", {{"class", "heat"}}).open("thead").open("tr");
  page.element("td", "").element("th", map.column_axis,
                                 {{"scope", "colgroup"}, {"colspan", std::to_string(map.columns.size())}});
  page.close().open("tr").element("th", map.row_axis, {{"scope", "col"}});
  for (const std::string& column : map.columns)
    page.element("th", shortened(column, longest_heading), {{"scope", "col"}});
  page.close().close().open("tbody");
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    GAUSSCSE_CHECK(map.values[row].size() == map.columns.size(), map.values[row].size(), " and ", map.columns.size());
    page.open("tr").element("th", shortened(map.rows[row], longest_heading), {{"scope", "row"}});
    for (std::size_t column = 0; column < map.columns.size(); ++column)
      add_cell(page, map.values[row][column], !map.untrained.empty() && map.untrained[row][column], range, map.unit);
    page.close();
  }
  page.close().close().close().close();
}

}  // namespace gausscse
