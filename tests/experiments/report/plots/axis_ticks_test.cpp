#include "experiments/report/plots/svg_plot.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Labels = std::vector<std::string>;

TEST(AxisTicks, AreRound) {
  EXPECT_EQ(round_ticks({0, 1}, 6).labels, (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(round_ticks({0, 400}, 7).labels, (Labels{"0", "100", "200", "300", "400"}));
  EXPECT_EQ(round_ticks({-3, 3}, 7).labels, (Labels{"-3", "-2", "-1", "0", "1", "2", "3"}));
  EXPECT_EQ(round_ticks({-3, 3}, 6).labels, (Labels{"-2", "0", "2"}));
  EXPECT_EQ(round_ticks({0.012, 0.0187}, 5).labels, (Labels{"0.012", "0.014", "0.016", "0.018"}));
  EXPECT_EQ(round_ticks({9998, 10051}, 4).labels, (Labels{"10000", "10020", "10040"}));
  EXPECT_EQ(round_ticks({0, 7e8}, 4).labels, (Labels{"0", "2e8", "4e8", "6e8"}));
}

TEST(AxisTicks, ArePercentagesOfFractions) {
  const AxisTicks ticks = round_ticks({0.615, 0.79}, 6, 100);
  EXPECT_EQ(ticks.labels, (Labels{"65", "70", "75"}));
  EXPECT_NEAR(ticks.at[1], 0.70, 1e-12);
}

TEST(AxisTicks, AreNeverMoreThanAskedFor) {
  for (std::size_t most = 2; most < 12; ++most) {
    for (const AxisRange range : {AxisRange{0, 1}, AxisRange{-1e-9, 1e-9}, AxisRange{3, 1e7}, AxisRange{-17.3, 4.1}}) {
      const std::size_t count = round_ticks(range, most).at.size();
      EXPECT_LE(count, most);
      EXPECT_GE(count, 1u);
    }
  }
}

TEST(AxisRange, HoldsAllValuesWithAMargin) {
  const std::array values{1.0, 3.0, std::nan(""), std::numeric_limits<double>::infinity(), 2.0};
  EXPECT_EQ(range_of(values), (AxisRange{0.9, 3.1}));
  EXPECT_EQ(range_of({}), (AxisRange{0, 1}));
  EXPECT_EQ(range_of(std::array{4.0, 4.0}), (AxisRange{3.5, 4.5}));
  EXPECT_EQ(range_of(std::array{-40.0}), (AxisRange{-44, -36}));
}

}  // namespace

}  // namespace gausscse
