#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/svg_plot.hpp"

namespace gausscse {

namespace {

constexpr std::array<const char*, SvgPlot::styles> dash_patterns = {"",    "7 3",     "2 3",      "9 3 2 3",
                                                                    "5 2", "1.5 2.5", "12 3 4 3", "4 4"};

/// Shapes around the origin.
constexpr std::array<const char*, SvgPlot::styles> marker_shapes = {
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",  // disc
    "m-3-3h6v6h-6z",                                 // square
    "m0-4l3.8 6.8h-7.6z",                            // triangle
    "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z",             // diamond
    "m-1-4h2v3h3v2h-3v3h-2v-3h-3v-2h3z",             // plus
    "m0 4l3.8-6.8h-7.6z",                            // triangle on its tip
    "m-4-2.6l1.4-1.4l2.6 2.6l2.6-2.6l1.4 1.4l-2.6 2.6l2.6 2.6l-1.4 1.4l-2.6-2.6l-2.6 2.6l-1.4-1.4l2.6-2.6z",  // cross
    "m-4-1.5h8v3h-8z"};                                                                                       // bar

}  // namespace

std::string dashes_of(std::size_t series) {
  return dash_patterns[series % dash_patterns.size()];
}

std::string dashes_of_reference(std::size_t number) {
  constexpr std::array<const char*, 4> patterns = {"3 3", "8 4", "1.5 4", "8 3 2 3"};
  return patterns[number % patterns.size()];
}

std::string class_of_series(std::size_t series) {
  return concat("s", series % SvgPlot::styles);
}

void add_marker(HtmlWriter& svg, std::size_t series, double x, double y) {
  svg.empty(
      "path",
      {{"class", "marker"},
       {"d", concat("M", coordinate_text(x), " ", coordinate_text(y), marker_shapes[series % marker_shapes.size()])}});
}

namespace {

void add_legend(HtmlWriter& page, const std::vector<LegendEntry>& legend) {
  constexpr std::size_t longest_label = 120;
  if (legend.empty()) return;
  page.open("ul", {{"class", "legend"}});
  for (const LegendEntry& entry : legend) {
    page.open("li").markup(entry.swatch);
    page.element("span", shortened(entry.label, longest_label)).close();
  }
  page.close();
}

void add_picture(HtmlWriter& page, const PlotFigure& figure, bool with_legend) {
  page.open("figure").element("figcaption", figure.title).markup(figure.svg);
  if (!figure.note.empty()) page.element("p", figure.note, {{"class", "quiet note"}});
  if (with_legend) add_legend(page, figure.legend);
  page.close();
}

}  // namespace

void add_figure(HtmlWriter& page, const PlotFigure& figure) {
  add_picture(page, figure, true);
}

void add_figures(HtmlWriter& page, const std::vector<PlotFigure>& figures) {
  std::vector<std::vector<const PlotFigure*>> groups;
  for (const PlotFigure& figure : figures) {
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.front()->legend == figure.legend; });
    if (known == groups.end())
      groups.push_back({&figure});
    else
      known->push_back(&figure);
  }
  for (const std::vector<const PlotFigure*>& group : groups) {
    const bool is_shared = group.size() > 1;
    if (is_shared) add_legend(page, group.front()->legend);
    page.open("div", {{"class", "figures"}});
    for (const PlotFigure* figure : group) add_picture(page, *figure, !is_shared);
    page.close();
  }
}

}  // namespace gausscse
