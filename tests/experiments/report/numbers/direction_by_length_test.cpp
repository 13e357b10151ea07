#include "experiments/report/numbers/direction_by_length.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

/// Entailments whose premises are longer by -30, -1, 0, 0, 5, 15 and 90, and a neutral pair. The sixth entails both
/// ways. By similarity pairs 1, 2, 4 and 6 are right, and with `all_right` all; by variance pairs 0 and 2.
Measurement directions_of_lengths(bool all_right, bool drop_both_ways = false) {
  const float other = all_right ? 1 : 0;
  return {"snli",
          "nli",
          false,
          {{"directed_pairs", drop_both_ways ? 6.0 : 7.0, Unit::count}},
          {{"sim_hypothesis_premise", std::vector<float>{other, 1, 1, other, 1, other, 1, 1}},
           {"sim_premise_hypothesis", std::vector<float>(8, 0.5f)},
           {"log_std_premise", std::vector<float>{3, 1, 3, 1, 1, 2, 1, 3}},
           {"log_std_hypothesis", std::vector<float>(8, 2)},
           {"label", std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 1}},
           {"entails_both_ways", std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 0, 0}},
           {"premise_characters", std::vector<std::int64_t>{10, 39, 40, 40, 45, 55, 130, 45}},
           {"hypothesis_characters", std::vector<std::int64_t>(8, 40)}},
          ""};
}

TEST(DirectionByLength, HasSharesAndIntervalsOfBins) {
  DirectionByLength directions;
  directions.add(directions_of_lengths(false));
  const std::vector<DirectionBin> bins = directions.bins();
  const struct {
    const char* name;
    double pairs, difference, by_similarity, by_variance;
  } known[] = {{"premise_shorter_by_21_or_more", 1, -30, 0, 1},
               {"premise_shorter_by_1_to_10", 1, -1, 1, 0},
               {"equal_length", 2, 0, 0.5, 0.5},
               {"premise_longer_by_1_to_10", 1, 5, 1, 0},
               {"premise_longer_by_11_to_20", 1, 15, 0, 0},
               {"premise_longer_by_81_or_more", 1, 90, 1, 0}};
  ASSERT_EQ(bins.size(), std::size(known)) << "bins without pairs are left out";
  for (std::size_t i = 0; i < bins.size(); ++i) {
    EXPECT_STREQ(bins[i].stratum->name, known[i].name);
    EXPECT_EQ(bins[i].pairs, known[i].pairs) << known[i].name;
    EXPECT_EQ(bins[i].difference, known[i].difference) << known[i].name;
    EXPECT_EQ(bins[i].by_similarity.share, known[i].by_similarity) << known[i].name;
    EXPECT_EQ(bins[i].by_variance.share, known[i].by_variance) << known[i].name;
  }
  // Wilson's interval of one of two is 1/2 -+ z / (2 sqrt(2 + z^2)).
  const double z = 1.959963984540054, half = z / (2 * std::sqrt(2 + z * z));
  EXPECT_NEAR(bins[2].by_similarity.interval.low, 0.5 - half, 1e-12);
  EXPECT_NEAR(bins[2].by_similarity.interval.high, 0.5 + half, 1e-12);
}

TEST(DirectionByLength, IsTheMeanOverSeedsOnAsManyPairs) {
  DirectionByLength directions;
  directions.add(directions_of_lengths(false));
  directions.add(directions_of_lengths(true));
  const DirectionBin equal = directions.bins().at(2);
  EXPECT_EQ(equal.pairs, 2);
  EXPECT_EQ(equal.by_similarity.share, 0.75);
  EXPECT_EQ(equal.by_variance.share, 0.5);
  // (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n) of p = 3/4, n = 2.
  const double z2 = 1.959963984540054 * 1.959963984540054;
  EXPECT_NEAR(equal.by_similarity.interval.low,
              (0.75 + z2 / 4 - std::sqrt(z2 * (0.75 * 0.25 / 2 + z2 / 16))) / (1 + z2 / 2), 1e-12);
}

TEST(DirectionByLength, LeavesOutWhatDirectionsDoNotCount) {
  DirectionByLength dropped;
  dropped.add(directions_of_lengths(false, true));
  EXPECT_EQ(dropped.bins().size(), 5u) << "the pair that is longer by 15 entails both ways";
  DirectionByLength none;
  Measurement of_cosine = directions_of_lengths(false);
  of_cosine.columns.erase(of_cosine.columns.begin() + 1, of_cosine.columns.begin() + 4);
  none.add(of_cosine);
  EXPECT_TRUE(none.empty());
  Measurement damaged = directions_of_lengths(false);
  std::get<std::vector<std::int64_t>>(damaged.columns.back().values).pop_back();
  EXPECT_TRUE(says(refusal_of([&] { none.add(damaged); }), "7 values in a column for 8 pairs"));
}

}  // namespace
}  // namespace gausscse
