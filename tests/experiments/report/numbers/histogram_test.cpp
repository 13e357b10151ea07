#include "experiments/report/numbers/histogram.hpp"

#include "experiments/report/plots/plots.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Counts = std::vector<std::int64_t>;

/// From -8 to 2000 there are two bins of 2048 and three of 1024.
TEST(Histograms, HaveTheSameBinsForAll) {
  const double none = std::numeric_limits<double>::infinity();
  const Histograms all = over_same_bins({{"fine", {0.5, 3.5}}, {"empty", {none}}, {"coarse", {-8, none, 2000}}}, 4);
  EXPECT_EQ(all.width, 1024);
  EXPECT_EQ(all.low, -1024);
  ASSERT_EQ(all.series.size(), 2u);
  EXPECT_EQ(all.series[0].label, "fine");
  EXPECT_EQ(all.series[0].counts, (Counts{0, 2, 0}));
  EXPECT_EQ(all.series[1].counts, (Counts{1, 0, 1}));
  EXPECT_EQ(all.series[1].total, 2);
}

TEST(Histograms, AreNotFinerThanAnyoneSees) {
  const double least = std::ldexp(1.0, -20);
  const Histograms all = over_same_bins({{"a", {0.25, 0.25, 0.25 + least, 0.25 + 1.5 * least}}}, 48);
  EXPECT_EQ(all.width, least);
  EXPECT_EQ(all.low, 0.25);
  EXPECT_EQ(all.series.at(0).counts, (Counts{2, 2}));
  EXPECT_TRUE(over_same_bins({{"a", {}}, {"b", {std::nan("")}}}, 48).series.empty());
}

/// Similarities of a trained model: of 400 values 398 lie from 0.96 to 0.9999, one at 0.1 and one at 0.2.
TEST(Histograms, ShowWhereTheMassIs) {
  std::vector<double> mass;
  for (int i = 0; i < 398; ++i) mass.push_back(0.96 + 0.0001 * i);
  std::vector<double> values = mass;
  values.push_back(0.1);
  values.push_back(0.2);
  const Histograms all = over_same_bins({{"a", values}, {"b", {0.97, 0.98}}}, 48);
  EXPECT_EQ(all.width, std::ldexp(1.0, -10));
  // The first bin begins at or below 0.96, where the mass begins.
  EXPECT_EQ(all.low, std::floor(0.96 * 1024) / 1024);
  const Histograms::Series& series = all.series.at(0);
  EXPECT_EQ(series.total, 400);
  EXPECT_EQ(series.below, 2);
  EXPECT_EQ(series.above, 0) << "the last bin has the highest values, too";
  EXPECT_EQ(std::accumulate(series.counts.begin(), series.counts.end(), std::int64_t{0}), 398);
  EXPECT_EQ(all.series.at(1).below + all.series.at(1).above, 0);
  // Fewer than 200 values are all shown, and so are all where that costs little room.
  const Histograms few = over_same_bins({{"a", {0.1, 0.96, 0.97, 0.98}}}, 48);
  EXPECT_EQ(few.series.at(0).below, 0);
  mass.push_back(0.95);
  mass.push_back(0.951);
  const Histograms whole = over_same_bins({{"a", mass}}, 48);
  EXPECT_EQ(whole.series.at(0).below + whole.series.at(0).above, 0);
}

TEST(Histograms, HaveFewerBinsForFewValues) {
  const auto width_for = [](int values) {
    std::vector<double> even;
    for (int i = 0; i < values; ++i) even.push_back(static_cast<double>(i) / values);
    return over_same_bins({{"a", even}}, 64).width;
  };
  EXPECT_EQ(width_for(10), 1.0 / 16);      // at most 16
  EXPECT_EQ(width_for(100), 1.0 / 16);     // at most 30
  EXPECT_EQ(width_for(150), 1.0 / 32);     // at most 36.7
  EXPECT_EQ(width_for(10'000), 1.0 / 64);  // at most 300, and 64 as asked
}

TEST(HistogramPlot, DrawsShares) {
  HtmlWriter page;
  add_figure(page, drawn(HistogramPlot{"t<", "x", {0, 2, {{"one", {1, 3}, 4}, {"none", {0, 0}, 0}}}}));
  const std::string metric = page.take();
  // The highest share is 3/4; 5% of room above it: 212 - 202 / 1.05 and 212 - 202 / 1.05 / 3.
  EXPECT_TRUE(says(metric, "d=\"M60 212V147.9H224V19.6H388V212\""));
  EXPECT_TRUE(says(metric, "one: 4 values, most between 2 and 4."));
  EXPECT_TRUE(says(metric, "<figcaption>t&lt;</figcaption>"));
  EXPECT_TRUE(says(metric, "<span>none</span>"));
  EXPECT_FALSE(says(metric, "Outside"));
}

TEST(HistogramPlot, CountsWhatIsOutsideTheAxis) {
  const PlotFigure metric =
      drawn(HistogramPlot{"t", "x", {0, 2, {{"one", {1, 3}, 10, 4, 2}, {"other", {1, 1}, 3, 0, 1}}}});
  EXPECT_EQ(metric.note, "Outside the axis: 4 of 13 below, 3 above.");
  // Shares are of all: the highest bin has 3 of 10, the highest of the other 1 of 3.
  EXPECT_TRUE(says(metric.svg, "d=\"M60 212V154.3H224V38.9H388V212\"")) << metric.svg;
}

}  // namespace

}  // namespace gausscse
