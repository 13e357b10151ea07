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
  FixedHistogram histogram{-1, 0.5, Counts(4)};
  for (const double value : {-1.0, -0.51, -0.5, 0.0, 0.49, 0.5, 1.0, 1.01, -1.2, 7.0, std::nan("")})
    histogram.add(value);
  EXPECT_EQ(histogram.counts, (Counts{2, 1, 2, 2}));
  EXPECT_EQ(histogram.below, 1);
  EXPECT_EQ(histogram.above, 2);
  EXPECT_EQ(histogram.total, 10);
}

TEST(FixedHistogram, PutsAnEdgeIntoTheBinThatBeginsThere) {
  // -3 + k * 0.1 is seldom a multiple of 0.1 in binary.
  for (int k = 0; k < 60; ++k) {
    FixedHistogram histogram{-3, 0.1, Counts(60)};
    histogram.add((k - 30) / 10.0);
    EXPECT_EQ(histogram.counts[static_cast<std::size_t>(k)], 1) << k;
  }
}

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
  const Histograms all = over_same_bins({{"a", {0.25, 0.25, 0.25 + 1.0 / 1024}}}, 48);
  EXPECT_EQ(all.width, 1.0 / 1024);
  EXPECT_EQ(all.low, 0.25);
  EXPECT_EQ(all.series.at(0).counts, (Counts{2, 1}));
  EXPECT_TRUE(over_same_bins({{"a", {}}, {"b", {std::nan("")}}}, 48).series.empty());
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
