#include "inference/calibration/feature_shift.hpp"

#include <cstdio>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns a calibration of pairs with these means and deviations: x1 = logit 0.75 +- 0.5, x2 = logit 0.25 +- 2, ...
Calibration of_shifted_pairs(std::size_t feature_without_weight = 5) {
  CalibrationNumbers numbers;
  numbers.set = "dev";
  numbers.logistic = {{std::log(3.0), -std::log(3.0), 0.25, -0.5, 0.5}, {0.5, 2, 0.125, 0.5, 0.25}, {1, 1, 1, 1, 1}, 0};
  if (feature_without_weight < 5) numbers.logistic.weight[feature_without_weight] = 0;
  return Calibration(numbers);
}

/// Returns a pair whose feature of this number is `shift` deviations over the mean, the others at it.
PairEvidence shifted_pair(std::size_t feature, double shift) {
  const LogisticFit fit = of_shifted_pairs().numbers().logistic;
  PairFeatures x = fit.mean;
  if (feature < 5) x[feature] += shift * fit.scale[feature];
  return {1 / (1 + std::exp(-x[0])), 1 / (1 + std::exp(-x[1])), x[2], x[3], x[4]};
}

/// Returns the warning on `pairs` pairs, of which this feature is shifted.
std::string warning_of(std::size_t pairs, std::size_t feature, double shift,
                       PairSelection selection = PairSelection::given) {
  FeatureShift shifts(of_shifted_pairs(), selection);
  // Half of the pairs are shifted twice as far, so that only the mean is at `shift`.
  for (std::size_t i = 0; i < pairs; ++i)
    shifts.add(shifted_pair(feature, pairs % 2 == 1 ? shift : i % 2 == 0 ? 2 * shift : 0));
  return shifts.warning("pairs.tsv");
}

TEST(FeatureShift, IsNotableFromAQuarterOfADeviationOrFiveErrorsOfTheMeanOn) {
  EXPECT_EQ(notable_shift(1), 5);
  EXPECT_EQ(notable_shift(25), 1);
  EXPECT_GT(notable_shift(399), 0.25);
  EXPECT_EQ(notable_shift(400), 0.25);
  EXPECT_EQ(notable_shift(1'000'000), 0.25);
}

TEST(FeatureShift, NamesTheFeatureAndItsShiftFromTheBoundaryOn) {
  const char* const names[] = {"the logit of sim(second||first)", "the logit of sim(first||second)",
                               "the difference of mean log-variances", "the ln of the ratio of lengths",
                               "the cosine of the means"};
  for (std::size_t feature = 0; feature < 5; ++feature)
    for (const auto& [pairs, limit] : {std::pair<std::size_t, double>{1, 5}, {100, 0.5}, {400, 0.25}, {1000, 0.25}})
      for (const double sign : {1.0, -1.0}) {
        SCOPED_TRACE(concat(names[feature], ", ", pairs, " pairs, ", sign));
        EXPECT_EQ(warning_of(pairs, feature, sign * 0.99 * limit), "");
        const std::string warning = warning_of(pairs, feature, sign * 1.28 * limit);
        char shift[32];
        std::snprintf(shift, sizeof shift, "%.2f", 1.28 * limit);
        EXPECT_TRUE(
            says(warning, concat("pairs.tsv: ", pairs, pairs == 1 ? " pair" : " pairs", " unlike those of \"dev\"")));
        EXPECT_TRUE(
            says(warning, concat("the mean of ", names[feature], " is ", shift, sign > 0 ? " higher;" : " lower;")))
            << "and no other feature";
        EXPECT_TRUE(says(warning, "--save-calibration FILE"));
      }
  EXPECT_EQ(FeatureShift(of_shifted_pairs(), PairSelection::given).warning("pairs.tsv"), "") << "no pairs";
}

TEST(FeatureShift, NamesAllFeaturesThatAreShifted) {
  FeatureShift shift(of_shifted_pairs(), PairSelection::given);
  for (int i = 0; i < 400; ++i) {
    PairEvidence pair = shifted_pair(2, 1.5);
    pair.log_length_ratio = -1.0;
    shift.add(pair);
  }
  EXPECT_TRUE(
      says(shift.warning("x"), "log-variances is 1.50 higher, of the ln of the ratio of lengths is 1.00 lower;"));
}

TEST(FeatureShift, OfTheMostSimilarRowsIsNoHigherSimilarity) {
  for (const std::size_t feature : {0, 1, 2, 3, 4}) {
    const bool is_similarity = feature != 2 && feature != 3;
    EXPECT_EQ(warning_of(400, feature, 3, PairSelection::most_similar).empty(), is_similarity) << feature;
    EXPECT_NE(warning_of(400, feature, -3, PairSelection::most_similar), "") << feature;
  }
}

TEST(FeatureShift, LeavesOutFeaturesThatAreNotKnownOrHaveNoWeight) {
  for (std::size_t feature = 0; feature < 5; ++feature) {
    FeatureShift shift(of_shifted_pairs(feature), PairSelection::given);
    for (int i = 0; i < 400; ++i) shift.add(shifted_pair(feature, 9));
    EXPECT_EQ(shift.warning("x"), "") << feature;
  }
  for (const std::size_t feature : {3, 4}) {
    FeatureShift shift(of_shifted_pairs(), PairSelection::given);
    for (int i = 0; i < 400; ++i) {
      PairEvidence pair = shifted_pair(feature, 9);
      if (i == 200) (feature == 3 ? pair.log_length_ratio : pair.cosine).reset();
      shift.add(pair);
    }
    EXPECT_EQ(shift.warning("x"), "") << feature;
  }
}

}  // namespace
}  // namespace gausscse
