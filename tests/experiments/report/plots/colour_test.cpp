#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/plots/heat_map.hpp"
#include "tests/experiments/report/page_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

Colour parse_colour(const std::string& text) {
  const auto part = [&](std::size_t at) { return static_cast<double>(std::stoi(text.substr(at, 2), nullptr, 16)); };
  return {part(1), part(3), part(5)};
}

/// Returns the colours of the style's light, dark and printed page, by name.
std::vector<std::map<std::string, Colour>> themes() {
  const std::string style(report_style());
  std::vector<std::map<std::string, Colour>> all;
  for (std::size_t root = style.find(":root {"); root != std::string::npos; root = style.find(":root {", root + 1)) {
    auto& theme = all.emplace_back();
    const std::size_t end = style.find('}', root);
    for (std::size_t at = style.find("  --", root); at < end; at = style.find("--", at + 4)) {
      const std::size_t name = style.find("--", at), colon = style.find(':', name);
      theme[style.substr(name + 2, colon - name - 2)] = parse_colour(style.substr(colon + 2, 7));
    }
  }
  return all;
}

TEST(Colour, ContrastIsThatOfWcag) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
  // The two greys that are known for lying just on either side of 4.5.
  EXPECT_NEAR(contrast({118, 118, 118}, {255, 255, 255}), 4.54, 0.005);
  EXPECT_NEAR(contrast({255, 255, 255}, {119, 119, 119}), 4.48, 0.005);
}

TEST(Colour, TextIsReadableInEveryTheme) {
  ASSERT_EQ(themes().size(), 3u);
  for (const auto& theme : themes()) {
    ASSERT_GE(theme.size(), 17u);
    for (const char* name : {"ink", "quiet", "link", "good", "bad"}) {
      EXPECT_GE(contrast(theme.at(name), theme.at("page")), 4.5) << name;
      EXPECT_GE(contrast(theme.at(name), theme.at("soft")), 4.5) << name;
    }
    for (int i = 0; i < 8; ++i)
      EXPECT_GE(contrast(theme.at("c" + std::to_string(i)), theme.at("page")), 3) << i << " of a line";
  }
}

TEST(Colour, HeatMapsCanBeReadEverywhere) {
  double before = 0;
  for (int i = 0; i <= 100; ++i) {
    const Colour colour = heat_colour(i / 100.0);
    EXPECT_GE(contrast(colour, readable_on(colour)), 4.5) << i;
    const double lightness = contrast(colour, {0, 0, 0});
    EXPECT_GT(lightness, before) << i;
    before = lightness;
  }
  EXPECT_EQ(to_text(heat_colour(0)), "#102a5c");
  EXPECT_EQ(to_text(heat_colour(1)), "#fcde50");
  EXPECT_EQ(to_text(heat_colour(0.125)), "#293f65");  // halfway between the first two
  EXPECT_EQ(to_text(heat_colour(7)), "#fcde50");
}

TEST(HeatMap, HasAValueInEachCell) {
  HtmlWriter page;
  add_figure(page, HeatMap{"t", "rows", "columns", {"16", "<32>"}, {"1e-5"}, {{0.5}, {0.75}}, Unit::fraction});
  const std::string figure = page.take();
  EXPECT_TRUE(says(figure, "<th scope=\"row\">16</th><td style=\"background:#102a5c;color:#ffffff\">50.00</td>"));
  EXPECT_TRUE(says(figure,
                   "<th scope=\"row\">&lt;32&gt;</th><td style=\"background:#fcde50;color:#000000\">"
                   "<strong>75.00</strong></td>"));
  EXPECT_TRUE(says(figure, "<th scope=\"col\">1e-5</th>"));
}

/// 1 point is a fifth of the 5 that the colours are spread over: from 0.4 to 0.6 of them.
TEST(HeatMap, ShowsASmallDifferenceAsSmall) {
  HtmlWriter page;
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d"}, {{0.69, 0.70}}, Unit::fraction});
  const std::string figure = page.take();
  EXPECT_TRUE(says(figure, concat("background:", to_text(heat_colour(0.4)))));
  EXPECT_TRUE(says(figure, concat("background:", to_text(heat_colour(0.6)))));
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d"}, {{0.69, 0.70}}, Unit::number});
  EXPECT_TRUE(says(page.take(), "background:#fcde50")) << "no spread is usual of other numbers";
}

TEST(HeatMap, HasNoColourWhereNothingIs) {
  HtmlWriter page;
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d"}, {{std::nan(""), 2}}, Unit::number});
  const std::string figure = page.take();
  EXPECT_TRUE(says(figure, "<td class=\"missing\">-</td>"));
  // A single value is neither low nor high.
  EXPECT_TRUE(says(figure, "<td>2.0000</td>"));
}

TEST(HeatMap, DistinguishesNoValuesThatPrintTheSame) {
  HtmlWriter page;
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d"}, {{0.640001, 0.640002}}});
  const std::string figure = page.take();
  EXPECT_TRUE(says(figure, "<th scope=\"row\">a</th><td>64.00</td><td>64.00</td>"));
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d", "e"}, {{0.640001, 0.640002, 0.5}}});
  const std::string two_highest = page.take();
  EXPECT_EQ(count_of(two_highest, "<strong>64.00</strong>"), 2u) << two_highest;
  EXPECT_EQ(count_of(two_highest, "<strong>"), 2u);
}

TEST(HeatMap, MarksUntrainedStatesAndNeverAsTheHighest) {
  HtmlWriter page;
  add_figure(page, HeatMap{"t", "r", "c", {"a"}, {"b", "d"}, {{0.75, 0.5}}, Unit::fraction, {{true, false}}});
  const std::string figure = page.take();
  EXPECT_TRUE(says(figure, ">75.00\xE2\x80\xA1</td>"));
  EXPECT_TRUE(says(figure, ">50.00</td>"));
  EXPECT_EQ(count_of(figure, "<strong>"), 0u);
}

}  // namespace

}  // namespace gausscse
