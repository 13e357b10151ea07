#include "experiments/report/numbers/histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "experiments/report/plots/plots.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {

namespace {

using testing_support::says;

using Counts = std::vector<std::int64_t>;

TEST(FixedHistogram, CountsByBin) {
  FixedHistogram histogram(-1, 0.5, 4);
  for (const double value : {-1.0, -0.51, -0.5, 0.0, 0.49, 0.5, 1.0, 1.01, -1.2, 7.0, std::nan("")})
    histogram.add(value);
  EXPECT_EQ(histogram.bins().counts, (Counts{2, 1, 2, 2}));
  EXPECT_EQ(histogram.below(), 1);
  EXPECT_EQ(histogram.above(), 2);
  EXPECT_EQ(histogram.total(), 10);
}

TEST(FixedHistogram, PutsAnEdgeIntoTheBinThatBeginsThere) {
  // -3 + k * 0.1 is seldom a multiple of 0.1 in binary.
  for (int k = 0; k < 60; ++k) {
    FixedHistogram histogram(-3, 0.1, 60);
    histogram.add((k - 30) / 10.0);
    EXPECT_EQ(histogram.bins().counts[static_cast<std::size_t>(k)], 1) << k;
  }
}

TEST(GrowingHistogram, WidensItsBins) {
  GrowingHistogram histogram;
  for (const double value : {0.25, 0.25, -3.0, 1e4}) histogram.add(value);
  histogram.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.total(), 4);
  // 10003 / 16 is the first power of two with at most 1024 bins.
  EXPECT_EQ(histogram.exponent(), 4);
  EXPECT_EQ(histogram.first(), -1);
  EXPECT_EQ(histogram.last(), 625);
  EXPECT_EQ(histogram.counts(13, -1, 1), (Counts{1, 2, 1}));
  EXPECT_EQ(histogram.counts(14, -1, 0), (Counts{1, 3}));
}

TEST(GrowingHistogram, DoesNotDependOnTheOrder) {
  GrowingHistogram up, down;
  for (int i = -500; i <= 500; ++i) {
    up.add(i * 3.7);
    down.add(-i * 3.7);
  }
  ASSERT_EQ(up.exponent(), down.exponent());
  EXPECT_EQ(up.first(), down.first());
  EXPECT_EQ(up.counts(up.exponent(), up.first(), up.last()), down.counts(up.exponent(), up.first(), up.last()));
}

TEST(GrowingHistogram, WiderBinsRoundDown) {
  EXPECT_EQ(wider_bin(5, 1), 2);
  EXPECT_EQ(wider_bin(-5, 1), -3);
  EXPECT_EQ(wider_bin(-5, 70), -1);
  EXPECT_EQ(wider_bin(5, 70), 0);
}

TEST(Histograms, HaveTheSameBinsForAll) {
  GrowingHistogram fine, coarse, empty;
  fine.add(0.5);
  fine.add(3.5);
  coarse.add(-8);
  coarse.add(2000);
  const Histograms all = over_same_bins({{"fine", &fine}, {"empty", &empty}, {"coarse", &coarse}}, 4);
  EXPECT_EQ(all.width, 1024);
  EXPECT_EQ(all.low, -1024);
  ASSERT_EQ(all.series.size(), 2u);
  EXPECT_EQ(all.series[0].label, "fine");
  EXPECT_EQ(all.series[0].counts, (Counts{0, 2, 0}));
  EXPECT_EQ(all.series[1].counts, (Counts{1, 0, 1}));
  EXPECT_EQ(all.series[1].total, 2);
}

TEST(HistogramPlot, DrawsShares) {
  HtmlWriter page;
  add_figure(page, HistogramPlot{"t<", "x", {0, 2, {{"one", {1, 3}, 4}, {"none", {0, 0}, 0}}}});
  const std::string figure = page.take();
  // The highest share is 3/4; 5% of room above it: 212 - 202 / 1.05 and 212 - 202 / 1.05 / 3.
  EXPECT_TRUE(says(figure, "d=\"M60 212V147.9H224V19.6H388V212\""));
  EXPECT_TRUE(says(figure, "one: 4 values, most between 2 and 4."));
  EXPECT_TRUE(says(figure, "<figcaption>t&lt;</figcaption>"));
  EXPECT_TRUE(says(figure, "<span>none</span>"));
}

}  // namespace

}  // namespace gausscse
