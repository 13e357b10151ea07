#include "experiments/report/plots/svg_plot.hpp"

#include "tests/experiments/report/page_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

/// x from 0 to 328 and y from 0 to 202 over the plot's area: a unit of either is one of the picture's.
SvgPlot unit_plot() {
  return {"title", "words", {"x", {0, 328}, 1}, {"y", {0, 202}, 1}};
}

TEST(SvgPlot, PlacesPoints) {
  const SvgPlot plot = unit_plot();
  EXPECT_DOUBLE_EQ(plot.x_at(0), 60);
  EXPECT_DOUBLE_EQ(plot.x_at(100), 160);
  EXPECT_DOUBLE_EQ(plot.x_at(328), 388);
  EXPECT_DOUBLE_EQ(plot.y_at(0), 212);  // below
  EXPECT_DOUBLE_EQ(plot.y_at(100), 112);
  EXPECT_DOUBLE_EQ(plot.y_at(202), 10);
  // What lies outside is drawn at the frame.
  EXPECT_DOUBLE_EQ(plot.x_at(-5), 60);
  EXPECT_DOUBLE_EQ(plot.y_at(1e9), 10);
}

TEST(SvgPlot, DrawsALineBrokenWhereAValueIsMissing) {
  SvgPlot plot = unit_plot();
  plot.line(2, std::array{0.0, 10.0, 20.0, 30.0, 40.0}, std::array{2.0, 12.5, std::nan(""), 22.0, 12.0});
  const std::string svg = plot.take();
  EXPECT_TRUE(says(svg, "<g class=\"s2\"><path class=\"line\" d=\"M60 210L70 199.5M90 190L100 200\" "));
  EXPECT_TRUE(says(svg, "stroke-dasharray=\"2 3\""));
  EXPECT_TRUE(says(svg, "d=\"M90 190m0-4l3.8 6.8h-7.6z\""));  // a marker
}

TEST(SvgPlot, DrawsABandForwardsAboveAndBackBelow) {
  SvgPlot plot = unit_plot();
  plot.band(1, std::array{0.0, 10.0}, std::array{1.0, 2.0}, std::array{5.0, 7.0});
  EXPECT_TRUE(says(plot.take(), "<g class=\"s1\"><path class=\"band\" d=\"M60 207L70 205L70 210L60 211Z\"/></g>"));
}

TEST(SvgPlot, DrawsLinesToCompareWithInGreyWithoutMarkers) {
  SvgPlot plot = unit_plot();
  plot.reference(1, std::array{0.0, 10.0, 20.0, 30.0}, std::array{2.0, 12.0, std::nan(""), 5.0});
  const std::string svg = plot.take();
  EXPECT_TRUE(says(svg, "<path class=\"reference\" d=\"M60 210L70 200M90 207\" stroke-dasharray=\"8 4\"/>"));
  EXPECT_EQ(svg.find("marker"), std::string::npos);
}

TEST(SvgPlot, DrawsStepsOfAHistogram) {
  SvgPlot plot = unit_plot();
  plot.steps(0, 100, 50, std::array{10.0, 30.0});
  EXPECT_TRUE(says(plot.take(), "d=\"M160 212V202H210V182H260V212\""));
}

TEST(SvgPlot, TellsThoseWhoCannotSeeItAndEscapes) {
  SvgPlot plot("a<b", "c&d", {"<x>", {0, 1}, 1}, {"\"y\"", {0, 1}, 100});
  const std::string svg = plot.take();
  EXPECT_TRUE(says(svg, "role=\"img\""));
  EXPECT_TRUE(says(svg, "aria-label=\"a&lt;b\""));
  EXPECT_TRUE(says(svg, "<title>a&lt;b</title>\n<desc>c&amp;d</desc>"));
  EXPECT_TRUE(says(svg, ">&lt;x&gt;</text>"));
  EXPECT_TRUE(says(svg, ">&quot;y&quot;</text>"));
  // Ticks of x are plain, those of y in percent.
  EXPECT_TRUE(says(svg, ">0.2</text>"));
  EXPECT_TRUE(says(svg, ">20</text>"));
}

TEST(SvgPlot, WritesALongLabelSmaller) {
  const std::string label(31, 'a');
  SvgPlot plot("t", "d", {label, {0, 1}, 1}, {label, {0, 1}, 1});
  const std::string svg = plot.take();
  EXPECT_EQ(count_of(svg, "<text class=\"middle long\" transform=\"translate(12 111) rotate(-90)\">"), 1u) << svg;
  EXPECT_EQ(count_of(svg, "middle long"), 1u) << "there is room along the other axis";
}

TEST(SvgPlot, DrawsNothingOfALineWithoutValues) {
  SvgPlot with = unit_plot(), without = unit_plot();
  with.line(0, std::array{1.0}, std::array{std::nan("")});
  EXPECT_EQ(with.take(), without.take());
}

TEST(SvgPlot, MarksAtMostEightPointsOfALine) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i);
    y.push_back(i);
  }
  SvgPlot plot = unit_plot();
  plot.line(0, x, y);
  const std::string svg = plot.take();
  std::size_t markers = 0;
  for (std::size_t at = svg.find("\"marker\""); at != std::string::npos; at = svg.find("\"marker\"", at + 1)) ++markers;
  EXPECT_EQ(markers, 8u);
}

TEST(SvgPlot, MarksAndMovesAllPointsThatHaveBars) {
  SvgPlot plot = unit_plot();
  std::vector<double> x, low, y, high;
  for (int i = 0; i < 15; ++i) {
    x.push_back(10.0 * i);
    low.push_back(2);
    y.push_back(12);
    high.push_back(52);
  }
  plot.bars(0, x, low, high, 3);
  plot.line_of_points(0, x, y, 3);
  const std::string svg = plot.take();
  EXPECT_EQ(count_of(svg, "\"marker\""), 15u);
  EXPECT_TRUE(says(svg, "<path class=\"bar\" d=\"M63 210V160m-3 0h6M63 210m-3 0h6M73 210V160"));
  EXPECT_TRUE(says(svg, "<path class=\"line\" d=\"M63 200L73 200L83 200"));
}

TEST(SvgMarks, TellSeriesApart) {
  std::set<std::string> dashes, shapes, classes;
  for (std::size_t series = 0; series < SvgPlot::styles; ++series) {
    dashes.insert(dashes_of(series));
    classes.insert(class_of_series(series));
    HtmlWriter svg;
    add_marker(svg, series, 0, 0);
    shapes.insert(svg.take());
  }
  EXPECT_EQ(dashes.size(), SvgPlot::styles);
  EXPECT_EQ(shapes.size(), SvgPlot::styles);
  EXPECT_EQ(classes.size(), SvgPlot::styles);
  EXPECT_EQ(class_of_series(SvgPlot::styles + 1), "s1");
}

TEST(PlotFigures, ShareALegend) {
  const LegendEntry a{"<svg/>", "a<"}, b{"<svg/>", "b"};
  HtmlWriter page;
  add_figures(page, {{"first", "<svg>1</svg>", {a, b}},
                     {"other", "<svg>2</svg>", {b}, "A note."},
                     {"second", "<svg>3</svg>", {a, b}}});
  const std::string html = page.take();
  EXPECT_EQ(count_of(html, "<span>a&lt;</span>"), 1u) << html;
  EXPECT_EQ(count_of(html, "<ul class=\"legend\">"), 2u);
  // The shared legend, its two figures, and a figure that keeps its own below its note.
  std::size_t before = 0;
  for (const char* part : {"<ul class=\"legend\">", "<span>a&lt;</span>", "<div class=\"figures\">", ">first<",
                           "<svg>3</svg>", "</div>", "<div class=\"figures\">", ">other<", "<svg>2</svg>",
                           "<p class=\"quiet note\">A note.</p>", "<ul class=\"legend\">"}) {
    const std::size_t at = html.find(part, before);
    ASSERT_NE(at, std::string::npos) << part << "\n" << html;
    before = at + 1;
  }
  HtmlWriter none;
  add_figures(none, {});
  EXPECT_EQ(none.take(), "");
}

}  // namespace

}  // namespace gausscse
