#include "inference/calibration/risk_answers.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// P is the similarity itself. Cuts lie at the confidence 0.75 and at the difference 0.25.
Calibration sample(Similarity similarity = Similarity::per_dimension) {
  CalibrationNumbers numbers;
  numbers.similarity = similarity;
  numbers.platt = {1, 0};
  numbers.isotonic = {{0}, {0.5}};
  numbers.logistic.scale.fill(1);
  numbers.cuts[0] = {{0.75, 1000, 10}};
  numbers.direction_cuts = {{0.25, 1000, 10}};
  return Calibration(numbers);
}

TEST(RiskAnswers, AreGivenFromTheCutOn) {
  const Calibration calibration = sample();
  const double at_cut = calibration.probability({.forward = 0.75});
  CalibrationNumbers numbers = calibration.numbers();
  numbers.cuts[0][0].confidence = at_cut;
  const RiskAnswers answers(Calibration(numbers), Calibrator::platt, 0.05);
  ASSERT_TRUE(answers.confidence());
  EXPECT_TRUE(answers.answer({.forward = 0.75}).is_given) << "exactly at the cut";
  EXPECT_STREQ(answers.answer({.forward = 0.75}).verdict, "entailed");
  EXPECT_FALSE(answers.answer({.forward = std::nextafter(0.75, 0) - 1e-9}).is_given);
  EXPECT_STREQ(answers.answer({.forward = 0.5}).verdict, "abstains");
  EXPECT_STREQ(answers.answer({.forward = 0.125}).verdict, "not entailed");
}

TEST(RiskAnswers, HaveADirectionFromTheDifferenceOn) {
  const RiskAnswers answers(sample(), Calibrator::platt, 0.05);
  const auto direction = [&](double forward, double backward) {
    return std::string(answers.answer({.forward = forward, .backward = backward}).direction);
  };
  EXPECT_EQ(direction(0.75, 0.5), "first entails second") << "exactly at the cut";
  EXPECT_EQ(direction(0.5, 0.75), "second entails first");
  EXPECT_EQ(direction(0.75, 0.5078125), "abstains");
  EXPECT_EQ(RiskAnswers(sample(Similarity::cosine), Calibrator::platt, 0.05).answer({.forward = 1}).direction, nullptr);
}

TEST(RiskAnswers, HaveTheCutsOfTheirRisk) {
  CalibrationNumbers numbers = sample().numbers();
  numbers.cuts[0].push_back({0.625, 2000, 200});
  numbers.direction_cuts.push_back({0.125, 2000, 200});
  for (const auto& [risk, confidence, difference] : {std::tuple{0.05, 0.75, 0.25}, {0.2, 0.625, 0.125}}) {
    const RiskAnswers answers(Calibration(numbers), Calibrator::platt, risk);
    EXPECT_EQ(answers.confidence(), confidence) << risk;
    EXPECT_EQ(answers.difference(), difference) << risk;
  }
}

TEST(RiskAnswers, AreProbabilitiesAloneWithoutARisk) {
  const RiskAnswers answers(sample(), Calibrator::platt, 0);
  const RiskAnswer answer = answers.answer({.forward = 0.75, .backward = 0.25});
  EXPECT_NEAR(answer.probability, 0.75, 1e-9);
  EXPECT_EQ(answer.verdict, nullptr);
  EXPECT_EQ(answer.direction, nullptr);
  EXPECT_TRUE(answer.is_given);
  EXPECT_TRUE(answer.is_entailed());
  EXPECT_TRUE(answers.answer({.forward = 0.5}).is_entailed()) << "one half is entailed";
}

/// Another calibrator has other cuts: here none.
TEST(RiskAnswers, AreThoseOfTheCalibrator) {
  const RiskAnswers answers(sample(), Calibrator::isotonic, 0.05);
  EXPECT_FALSE(answers.confidence());
  EXPECT_STREQ(answers.answer({.forward = 0.99}).verdict, "abstains");
}

}  // namespace
}  // namespace gausscse
