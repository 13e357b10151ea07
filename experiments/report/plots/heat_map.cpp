#include "experiments/report/plots/heat_map.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "experiments/report/html/html_text.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/colour.hpp"

namespace gausscse {

namespace {

constexpr std::size_t longest_heading = 60;

struct HeatRange {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

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

void add_cell(HtmlWriter& page, double value, const HeatRange& range, Unit unit) {
  if (!std::isfinite(value)) {
    page.element("td", "-", {{"class", "missing"}});
    return;
  }
  const double part = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
  const Colour background = heat_colour(part);
  const std::string style = concat("background:", to_text(background), ";color:", to_text(readable_on(background)));
  page.open("td", {{"style", style}});
  if (value == range.high && range.low < range.high) {
    page.element("strong", figure_value_text(value, unit));
  } else {
    page.text(figure_value_text(value, unit));
  }
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
    for (const double value : map.values[row]) add_cell(page, value, range, map.unit);
    page.close();
  }
  page.close().close().close().close();
}

}  // namespace gausscse
