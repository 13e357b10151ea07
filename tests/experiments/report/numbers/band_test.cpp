#include "experiments/report/sections/section_parts.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Values = std::vector<double>;

TEST(Band, HasMeanLowestAndHighest) {
  Band seeds(10);
  seeds.add(std::array{0.0, 5.0}, std::array{1.0, 2.0});
  seeds.add(std::array{0.0, 5.0}, std::array{4.0, -2.0});
  seeds.add(std::array{0.0, 5.0}, std::array{1.0, std::nan("")});
  const BandLines band = seeds.lines();
  EXPECT_EQ(band.x, (Values{0, 5}));
  EXPECT_EQ(band.mean, (Values{2, 0}));
  EXPECT_EQ(band.low, (Values{1, -2}));
  EXPECT_EQ(band.high, (Values{4, 2}));
  EXPECT_EQ(seeds.seeds(), 3);
}

TEST(Band, LeavesOutPlacesThatASeedLacks) {
  Band seeds(10);
  seeds.add(std::array{0.0, 5.0, 10.0}, std::array{1.0, 2.0, 3.0});
  seeds.add(std::array{0.0, 10.0}, std::array{1.0, 2.0});
  EXPECT_EQ(seeds.lines().x, (Values{0, 10}));
}

TEST(Band, ThinsLongCurvesByMeansOfEqualParts) {
  Values x, y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i);
    y.push_back(2 * i);
  }
  Band seeds(200);
  seeds.add(x, y);
  const BandLines band = seeds.lines();
  ASSERT_EQ(band.x.size(), 200u);
  EXPECT_EQ(band.x[0], 2);  // of 0 .. 4
  EXPECT_EQ(band.x[199], 997);
  EXPECT_EQ(band.mean[10], 104);
}

TEST(Band, IsALineWithoutABandOfOneSeed) {
  Band seeds(10);
  seeds.add(std::array{1.0}, std::array{2.0});
  EXPECT_TRUE(line_of(seeds, "a").low.empty());
  seeds.add(std::array{1.0}, std::array{4.0});
  const LineSeries line = line_of(seeds, "a");
  EXPECT_EQ(line.label, "a");
  EXPECT_EQ(line.y, (Values{3}));
  EXPECT_EQ(line.low, (Values{2}));
  EXPECT_EQ(line.high, (Values{4}));
}

TEST(Band, HasNoValueWhereNoSeedHasOne) {
  Band seeds(10);
  seeds.add(std::array{1.0, 2.0}, std::array{std::nan(""), 3.0});
  EXPECT_TRUE(std::isnan(seeds.lines().mean[0]));
  EXPECT_EQ(seeds.lines().mean[1], 3);
}

}  // namespace

}  // namespace gausscse
