#include "experiments/report/plots/plots.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

std::string html_of(const ScatterPlot& plot) {
  HtmlWriter page;
  add_figure(page, drawn(plot));
  return page.take();
}

/// x reaches from -10 to 10 and is a twentieth wider at both ends: 22 over 328 units of the picture. A unit of y is as
/// long: 202 units of the picture are 13.549 about the middle, 0.
TEST(ScatterPlot, HasTheSameScaleOnBothAxes) {
  const std::string html =
      html_of({"T", "first", "second", {{"after", {-10, 10}, {0, 0}}, {"before", {0, 0}, {1, -1}}}});
  EXPECT_TRUE(says(html, "<figcaption>T</figcaption>"));
  // (-10, 0): 60 + 1 / 22 * 328 = 74.9, and the middle of 10 and 212.
  EXPECT_TRUE(says(html, "class=\"dots\" d=\"M74.9 111h0M373.1 111h0\""));
  // (0, 1): 328 / 22 = 14.9 above the middle.
  EXPECT_TRUE(says(html, "d=\"M224 96.1m-2 0h4m-2-2v4M224 125.9m-2 0h4m-2-2v4\""));
  EXPECT_TRUE(says(html,
                   "<desc>after: 2 points, from -10 to 10 and from 0 to 0. before: 2 points, from 0 to 0 and from "
                   "-1 to 1.</desc>"));
  EXPECT_LT(html.find("<span>after</span>"), html.find("<span>before</span>"));
}

TEST(ScatterPlot, DrawsEvenlyChosenPointsOfMany) {
  ScatterPlot plot{"T", "x", "y", {{"a", {}, {}}}};
  for (int i = 0; i < 1800; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(0);
  }
  const std::string html = html_of(plot);
  std::vector<double> drawn_at;
  const std::size_t path = html.find("class=\"dots\" d=\"");
  const std::size_t end = html.find("\"/>", path);
  for (std::size_t at = html.find('M', path); at < end; at = html.find('M', at + 1))
    drawn_at.push_back(std::stod(html.substr(at + 1)));
  ASSERT_EQ(drawn_at.size(), 600u);
  // Every third point, on an axis from 0 to 1799 that is a twentieth wider at both ends.
  for (std::size_t i = 0; i < drawn_at.size(); ++i)
    EXPECT_NEAR(drawn_at[i], 60 + 328 * (static_cast<double>(3 * i) / 1799 + 0.05) / 1.1, 0.0501) << i;
  EXPECT_TRUE(says(html, "a: 1800 points, from 0 to 1799"));
}

}  // namespace

}  // namespace gausscse
