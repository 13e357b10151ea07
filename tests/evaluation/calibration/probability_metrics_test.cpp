#include "evaluation/calibration/probability_metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "inference/calibration/risk_cuts.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using AnswerFlags = std::vector<std::uint8_t>;
using ProbabilityValues = std::vector<double>;

JsonDocument probability_golden() {
  return read_strict_json(testing_support::golden("calibration/cases.json"));
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
    // Each calibrator's interval is that of its probabilities alone, which order the pairs in another way.
    ProbabilityValues reversed;
    for (const double value : p) reversed.push_back(1 - value * value);
    const std::vector<ProbabilityValues> alone{reversed}, together{p, reversed, p};
    const Interval of_reversed = calibration_error_intervals(alone, entailed, 1).at(0);
    for (const int threads : {1, 3}) {
      const std::vector<Interval> intervals = calibration_error_intervals(together, entailed, threads);
      ASSERT_EQ(intervals.size(), 3u);
      for (const std::size_t i : {0u, 2u}) {
        EXPECT_NEAR(intervals[i].low, json.at("ece_interval")[0].get<double>(), 1e-12);
        EXPECT_NEAR(intervals[i].high, json.at("ece_interval")[1].get<double>(), 1e-12);
      }
      EXPECT_EQ(intervals[1].low, of_reversed.low);
      EXPECT_EQ(intervals[1].high, of_reversed.high);
      EXPECT_NE(intervals[1].high, intervals[0].high);
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

TEST(RiskCuts, EqualScipyAndMapiesTestOfAFixedSequence) {
  const JsonDocument golden = probability_golden();
  ASSERT_EQ(golden->at("risks").size(), 5u);
  for (const nlohmann::json& json : golden->at("risks")) {
    const auto confidence = json.at("confidence").get<ProbabilityValues>();
    SCOPED_TRACE(confidence.size());
    const std::vector<RiskCut> cuts = risk_cuts_of(confidence, json.at("wrong").get<AnswerFlags>());
    ASSERT_EQ(cuts.size(), json.at("cuts").size());
    for (std::size_t i = 0; i < cuts.size(); ++i)
      EXPECT_EQ(cuts[i], (RiskCut{json.at("cuts")[i][0], json.at("cuts")[i][1], json.at("cuts")[i][2]})) << i;
    for (const auto& [risk, found] : json.at("found").items())
      EXPECT_EQ(confidence_at(cuts, std::stod(risk)), found.is_null() ? std::nullopt : std::optional<double>(found))
          << risk;
  }
}

TEST(RiskCuts, EqualScipysBinomialDistribution) {
  const JsonDocument golden = probability_golden();
  ASSERT_EQ(golden->at("binomial_cdf").size(), 6u);
  for (const nlohmann::json& json : golden->at("binomial_cdf"))
    EXPECT_NEAR(binomial_cdf(json[0], json[1], json[2]) / json[3].get<double>(), 1, 1e-9) << json;
}

TEST(RiskCuts, StopAtTheFirstCutThatFails) {
  // 59 answers without an error are the fewest that bound the error by 5 %.
  EXPECT_EQ(least_answered(0.05), 59u);
  const RiskCut too_few{0.99, 58, 0}, passes{0.98, 59, 0}, fails{0.9, 70, 1}, passes_again{0.8, 1000, 1};
  EXPECT_EQ(confidence_at({too_few}, 0.05), std::nullopt);
  EXPECT_EQ(confidence_at({too_few, passes}, 0.05), 0.98);
  EXPECT_EQ(confidence_at({too_few, passes, fails, passes_again}, 0.05), 0.98);
  EXPECT_EQ(confidence_at({too_few, passes, passes_again}, 0.05), 0.8);
  EXPECT_EQ(confidence_at({fails, passes_again}, 0.05), std::nullopt);
  EXPECT_EQ(confidence_at({}, 0.05), std::nullopt);
}

TEST(RiskCuts, RefuseARiskThatIsNone) {
  for (const double risk : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_TRUE(testing_support::says(testing_support::refusal_of([&] { confidence_at({}, risk); }),
                                      "give a number over 0 and under 1"))
        << risk;
}

TEST(RiskCuts, KeepTheirPromiseOnNewPairs) {
  // Pairs whose answers at confidence c are wrong with probability 1 - c: at risk 10 % the true error of all that are
  // answered is at most 10 % for 95 % of the draws.
  int broken = 0, answered = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    PhiloxStream random(9, round);
    ProbabilityValues confidence;
    AnswerFlags wrong;
    for (int i = 0; i < 500; ++i) {
      confidence.push_back(0.5 + random.uniform() / 2);
      wrong.push_back(random.uniform() < 1 - confidence.back());
    }
    const auto least = confidence_at(risk_cuts_of(confidence, wrong), 0.1);
    if (!least) continue;
    ++answered;
    broken += (1 - *least) / 2 > 0.1;  // the mean of 1 - c over c in [least, 1]
  }
  EXPECT_GT(answered, 100);
  EXPECT_LE(broken, 16);  // at most 10 are expected
}

}  // namespace
}  // namespace gausscse
