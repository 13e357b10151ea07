#include "evaluation/calibration/probability_metrics.hpp"

#include <numbers>

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using AnswerFlags = std::vector<std::uint8_t>;
using ProbabilityValues = std::vector<double>;

JsonDocument probability_golden() {
  return read_strict_json(golden("calibration/cases.json"));
}

TEST(ProbabilityMetrics, EqualScikitLearnAndTheirDefinitions) {
  const JsonDocument golden = probability_golden();
  ASSERT_EQ(golden->at("metrics").size(), 5u);
  for (const nlohmann::json& json : golden->at("metrics")) {
    const auto p = json.at("p").get<ProbabilityValues>();
    const auto entailed = json.at("entailed").get<AnswerFlags>();
    SCOPED_TRACE(p.size());
    EXPECT_NEAR(negative_log_likelihood(p, entailed), json.at("nll").get<double>(), 1e-12);
    EXPECT_NEAR(brier_score(p, entailed), json.at("brier").get<double>(), 1e-12);
    EXPECT_NEAR(expected_calibration_error(p, entailed), json.at("ece").get<double>(), 1e-12);
    EXPECT_NEAR(area_under_risk_coverage(either_answers(p, entailed)), json.at("aurc").get<double>(), 1e-12);
    EXPECT_NEAR(coverage_at_risk(either_answers(p, entailed), 0.05), json.at("coverage")[0].get<double>(), 1e-12);
    EXPECT_NEAR(coverage_at_risk(either_answers(p, entailed), 0.1), json.at("coverage")[1].get<double>(), 1e-12);
    // The golden's draws number the pairs by rising P and label. Other calibrators change nothing.
    std::vector<std::pair<double, std::uint8_t>> pairs;
    for (std::size_t i = 0; i < p.size(); ++i) pairs.emplace_back(p[i], entailed[i]);
    std::sort(pairs.begin(), pairs.end());
    ProbabilityValues sorted, reversed;
    AnswerFlags labels;
    for (const auto& [value, label] : pairs) {
      sorted.push_back(value);
      reversed.push_back(1 - value * value);
      labels.push_back(label);
    }
    const ItemClusters alone(p.size());
    const std::vector<ProbabilityValues> together{sorted, reversed, sorted};
    const CalibrationError of_reversed =
        calibration_errors(std::vector<ProbabilityValues>{reversed}, labels, alone, 1).at(0);
    for (const int threads : {1, 3}) {
      const std::vector<CalibrationError> errors = calibration_errors(together, labels, alone, threads);
      ASSERT_EQ(errors.size(), 3u);
      for (const std::size_t i : {0u, 2u}) {
        const auto wanted = json.at("calibration_errors").get<ProbabilityValues>();
        const CalibrationError& error = errors[i];
        const double found[] = {error.plain, error.debiased, error.null, error.interval.low, error.interval.high};
        for (std::size_t each = 0; each < 5; ++each) EXPECT_NEAR(found[each], wanted.at(each), 1e-12) << each;
      }
      EXPECT_EQ(errors[1].interval.low, of_reversed.interval.low);
      EXPECT_EQ(errors[1].interval.high, of_reversed.interval.high);
      EXPECT_NE(errors[1].interval.high, errors[0].interval.high);
    }
  }
}

/// Coverage of the true error by simulation: P is exp(t) / (1 + exp(t)) of t = bend * z, the truth that of z.
TEST(ProbabilityMetrics, IntervalsOfTheCalibrationErrorCoverTheTrueOne) {
  constexpr std::size_t runs = 100, pairs = 1000;
  const auto probability = [](double z) { return 1 / (1 + std::exp(-z)); };
  const auto normal = [](PhiloxStream& random) {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
  };
  for (const auto& [bend, shift, least] : {std::tuple{1.0, 0.0, 90}, {1.5, 0.0, 80}, {1.0, 1.2, 88}}) {
    const double wanted = bend > 1 ? 0.0609 : shift > 0 ? 0.2019 : 0;  // of two million pairs
    double truth = 0, plain = 0, null = 0;
    std::size_t covered = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      PhiloxStream random(31, run);
      std::vector<ProbabilityValues> p(1);
      AnswerFlags entailed;
      for (std::size_t i = 0; i < pairs; ++i) {
        const double z = 1.5 * normal(random);
        p[0].push_back(probability(bend * z + shift));
        entailed.push_back(random.uniform() < probability(z));
        // Both are monotone in z, so nothing cancels within a narrow bin.
        truth += std::abs(p[0].back() - probability(z)) / (runs * pairs);
      }
      const CalibrationError error = calibration_errors(p, entailed, ItemClusters(pairs), 2).at(0);
      covered += error.interval.low <= wanted && wanted <= error.interval.high;
      plain += error.plain / runs;
      null += error.null / runs;
    }
    EXPECT_GE(covered, static_cast<std::size_t>(least)) << bend << " " << shift;
    if (wanted == 0) {
      EXPECT_NEAR(plain, null, 0.05 * null) << "of a calibrated model";
    } else if (shift > 0) {
      EXPECT_NEAR(plain, truth, 0.005);
    }
  }
}

TEST(ProbabilityMetrics, DoNotDependOnTheOrderOfEqualProbabilities) {
  const ProbabilityValues p(31, 0.25);
  AnswerFlags first(31, 0), last(31, 0);
  for (std::size_t i = 0; i < 10; ++i) first[i] = last[30 - i] = 1;
  EXPECT_DOUBLE_EQ(expected_calibration_error(p, first), expected_calibration_error(p, last));
  EXPECT_NEAR(expected_calibration_error(p, first), 10.0 / 31 - 0.25, 1e-12);
  EXPECT_DOUBLE_EQ(area_under_risk_coverage(either_answers(p, first)), 10.0 / 31);
  EXPECT_EQ(coverage_at_risk(either_answers(p, first), 0.3), 0);
  EXPECT_EQ(coverage_at_risk(either_answers(p, first), 0.35), 1);
}

TEST(ProbabilityMetrics, ClipProbabilitiesOfZeroAndOne) {
  EXPECT_NEAR(negative_log_likelihood(ProbabilityValues{0, 1}, AnswerFlags{1, 0}), -std::log(1e-7), 1e-6);
  EXPECT_NEAR(negative_log_likelihood(ProbabilityValues{1, 0}, AnswerFlags{1, 0}), 1e-7, 1e-12);
}

TEST(ProbabilityMetrics, CountAnswersOfEnoughConfidence) {
  const ProbabilityValues p = {0.9, 0.1, 0.8, 0.6, 0.5};
  const AnswerFlags entailed = {1, 1, 1, 0, 1};
  const Answers answers = either_answers(p, entailed);
  const Answered some = answered_at(0.8, answers);
  EXPECT_DOUBLE_EQ(some.share, 0.6);
  EXPECT_DOUBLE_EQ(some.error, 1.0 / 3);
  EXPECT_DOUBLE_EQ(answered_at(0.5, answers).error, 0.4);
  EXPECT_EQ(answered_at(0.95, answers).share, 0);
  EXPECT_TRUE(std::isnan(answered_at(0.95, answers).error));
}

/// The answer is always "right", and a low P is no confidence that the hit is wrong.
TEST(ProbabilityMetrics, CountTheMostProbableHitsFirst) {
  const ProbabilityValues p = {0.1, 0.9, 0.5, 0.7, 0.7};
  const AnswerFlags right = {0, 1, 1, 1, 0};
  const Answers answers = found_answers(p, right);
  EXPECT_DOUBLE_EQ(area_under_risk_coverage(answers), (0 + 2 * (1.0 / 3) + 1.0 / 4 + 2.0 / 5) / 5);
  EXPECT_DOUBLE_EQ(coverage_at_risk(answers, 0.3), 0.8);
  EXPECT_DOUBLE_EQ(coverage_at_risk(answers, 0.2), 0.2);
  EXPECT_DOUBLE_EQ(answered_at(0.7, answers).share, 0.6);
  EXPECT_DOUBLE_EQ(answered_at(0.7, answers).error, 1.0 / 3);
}

}  // namespace
}  // namespace gausscse
