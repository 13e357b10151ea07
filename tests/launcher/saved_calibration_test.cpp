#include "launcher/saved_calibration.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

CalibrationNumbers fitted(std::uint64_t items, double slope) {
  CalibrationNumbers numbers;
  numbers.fitted = items;
  numbers.platt = {slope, -1};
  return numbers;
}

TEST(WarningsOfFit, NameFewItemsAndAProbabilityThatFalls) {
  EXPECT_TRUE(warnings_of_fit(fitted(100, 0.5)).empty());
  const std::vector<std::string> few = warnings_of_fit(fitted(99, 0.5));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_TRUE(says(few[0], "fitted on only 99 items: probabilities of fewer than 100 are guesses"));
  EXPECT_TRUE(says(warnings_of_fit(fitted(1, 0.5)).at(0), "only 1 item:"));
  for (const double slope : {-38.8, 0.0, std::nan("")}) {
    const std::vector<std::string> falling = warnings_of_fit(fitted(5000, slope));
    ASSERT_EQ(falling.size(), 1u) << slope;
    EXPECT_TRUE(says(falling[0], "the probability falls while the similarity rises"));
  }
  EXPECT_EQ(warnings_of_fit(fitted(2, -38.8)).size(), 2u);
}

/// A calibration of pairs comes first; of several retrieval sets the first one gives that of hits.
TEST(HitsFittedOn, IsARetrievalSetWherePairsChooseNoThreshold) {
  const TaskSettings pairs{"dev", 0, NliTaskSettings{.file = "dev.jsonl"}},
      other{"other", 0, NliTaskSettings{.file = "other.jsonl", .threshold = "dev"}},
      first{"first", 0, RetrievalTaskSettings{}}, second{"second", 0, RetrievalTaskSettings{}};
  EXPECT_EQ(hits_fitted_on({other, first, second}), "first");
  EXPECT_EQ(hits_fitted_on({first, second, pairs}), "");
  EXPECT_EQ(hits_fitted_on({other}), "");
}

}  // namespace
}  // namespace gausscse
