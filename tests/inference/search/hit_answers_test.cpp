#include "inference/search/hit_answers.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Twelve hits, the best first.
std::vector<SearchHit> twelve_hits() {
  std::vector<SearchHit> hits;
  for (std::uint64_t i = 0; i < 12; ++i) hits.push_back({i, 0.9 - 0.05 * static_cast<double>(i), 0.25, 0.5});
  return hits;
}

/// A calibration of hits; platt's P of a best hit is the logistic of the root of the margin to the second one.
CalibrationNumbers numbers_of_hits() {
  CalibrationNumbers numbers;
  numbers.of = CalibrationOf::hits;
  numbers.rows = 100;
  numbers.platt = {1, 0};
  numbers.logistic.scale.fill(1);
  numbers.isotonic = {{0}, {0.5}};
  return numbers;
}

TEST(HitAnswers, CompareTheBestHitWithTheSecondAndTheTenth) {
  const std::vector<SearchHit> hits = twelve_hits();
  const std::optional<HitEvidence> evidence = best_hit_evidence(hits);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->pair.forward, 0.9);
  EXPECT_EQ(evidence->pair.backward, 0.25);
  EXPECT_EQ(evidence->pair.log_var_difference, -0.5);
  EXPECT_EQ(evidence->second, hits[1].query_given_row);
  EXPECT_EQ(evidence->last, hits[9].query_given_row);
  EXPECT_EQ(best_hit_evidence(std::span(hits).first(4))->last, hits[3].query_given_row);
  EXPECT_FALSE(best_hit_evidence(std::span(hits).first(1)));
  const PairEvidence entailed_by = hit_evidence(hits[0], SearchDirection::entailed_by);
  EXPECT_EQ(entailed_by.forward, 0.25);
  EXPECT_EQ(entailed_by.backward, 0.9);
  EXPECT_EQ(entailed_by.log_var_difference, 0.5);
}

TEST(HitAnswers, AreFoundFromTheCutOn) {
  const std::vector<SearchHit> hits = twelve_hits();
  CalibrationNumbers numbers = numbers_of_hits();
  const double p =
      *HitAnswers(Calibration(numbers), SearchDirection::entails, Calibrator::platt, 0).answer(hits)[0].probability;
  const double margin = std::log(0.9 / 0.1) - std::log(0.85 / 0.15);
  EXPECT_NEAR(p, 1 / (1 + std::exp(-std::sqrt(margin))), 1e-9);
  for (const auto& [cut, verdict] : {std::pair{p, "found"}, {std::nextafter(p, 1), "abstains"}}) {
    numbers.cuts[0] = {{cut, 1000, 10}};
    HitAnswers answers(Calibration(numbers), SearchDirection::entails, Calibrator::platt, 0.05);
    const std::vector<HitAnswer> found = answers.answer(hits);
    ASSERT_EQ(found.size(), 12u);
    EXPECT_STREQ(found[0].verdict, verdict);
    EXPECT_EQ(found[1].verdict, nullptr);
    EXPECT_FALSE(found[1].probability);
    EXPECT_EQ(answers.found(), std::string(verdict) == "found" ? 1u : 0u);
    EXPECT_EQ(answers.hits_for(3), 10u);
    EXPECT_EQ(answers.hits_for(12), 12u);
  }
}

}  // namespace
}  // namespace gausscse
