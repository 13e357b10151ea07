#include "evaluation/metrics/metrics.hpp"

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Scores = std::vector<float>;
using Labels = std::vector<std::uint8_t>;

TEST(Metrics, EqualScikitLearn) {
  const nlohmann::json cases = read_strict_json(golden("metrics/cases.json"));
  ASSERT_EQ(cases.size(), 13u);
  for (const auto& each : cases) {
    SCOPED_TRACE(each.at("name").get<std::string>());
    const auto scores = each.at("scores").get<Scores>();
    const auto positive = each.at("positive").get<Labels>();
    EXPECT_NEAR(area_under_precision_recall(scores, positive), each.at("auprc").get<double>(), 1e-12);
    EXPECT_NEAR(area_under_precision_recall_sweep(scores, positive), each.at("auprc_sweep").get<double>(), 1e-12);
    const double threshold = best_threshold(scores, positive);
    EXPECT_EQ(threshold, each.at("threshold").get<double>());
    EXPECT_DOUBLE_EQ(accuracy_at(threshold, scores, positive), each.at("accuracy").get<double>());
    EXPECT_DOUBLE_EQ(accuracy_at(0.5, scores, positive), each.at("accuracy_at_0.5").get<double>());
    const std::vector<double> exact(scores.begin(), scores.end());
    EXPECT_EQ(area_under_precision_recall(exact, positive), area_under_precision_recall(scores, positive));
    EXPECT_EQ(area_under_precision_recall_sweep(exact, positive), area_under_precision_recall_sweep(scores, positive));
    EXPECT_EQ(accuracy_at(threshold, exact, positive), accuracy_at(threshold, scores, positive));
  }
}

/// Scores of one float32 that are two float64 give two points: (1/2, 1) and (1, 1), not (1, 2/3) alone.
TEST(Metrics, SeparateScoresThatDifferInFloat64) {
  const std::vector<double> scores = {0.5 + 2e-12, 0.5, 0.5 + 1e-12};
  EXPECT_EQ(area_under_precision_recall(scores, Labels{1, 0, 1}), 1);
  EXPECT_EQ(accuracy_at(0.5 + 1e-12, scores, Labels{1, 0, 1}), 1);
}

/// Returns the curve from its definition, threshold by threshold, in quadratic time.
double literal_area(const Scores& scores, const Labels& positive) {
  Scores thresholds = scores;
  std::sort(thresholds.rbegin(), thresholds.rend());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  const double positives = std::accumulate(positive.begin(), positive.end(), 0.0);
  double area = 0.0, recall_before = 0.0, precision_before = 1.0;
  for (const float threshold : thresholds) {
    double said = 0.0, right = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      said += scores[i] >= threshold;
      right += scores[i] >= threshold && positive[i];
    }
    area += (right / positives - recall_before) * (right / said + precision_before) / 2;
    recall_before = right / positives;
    precision_before = right / said;
  }
  return area;
}

TEST(Metrics, AreaEqualsItsDefinitionForAnyTies) {
  PhiloxStream random(7, 0);
  for (std::uint32_t round = 0; round < 300; ++round) {
    const std::uint32_t pairs = 1 + random.below(40), levels = 1 + random.below(12);
    Scores scores(pairs);
    Labels positive(pairs);
    for (std::uint32_t i = 0; i < pairs; ++i) {
      scores[i] = static_cast<float>(random.below(levels)) / 12.0f;
      positive[i] = random.below(2) != 0;
    }
    positive[random.below(pairs)] = 1;
    ASSERT_NEAR(area_under_precision_recall(scores, positive), literal_area(scores, positive), 1e-12) << round;
  }
}

TEST(Metrics, BestThresholdIsTheFirstBestAndCountsEquality) {
  // Everything from 0.001 to 0.5 separates the two.
  EXPECT_EQ(best_threshold(Scores{0.0f, 0.5f}, Labels{0, 1}), 0.001);
  EXPECT_EQ(accuracy_at(0.5, Scores{0.5f}, Labels{1}), 1.0);
  EXPECT_EQ(accuracy_at(0.5, Scores{std::nextafter(0.5f, 0.0f)}, Labels{1}), 0.0);
  // Nothing is an entailment: the first threshold above the score.
  EXPECT_EQ(best_threshold(Scores{0.2504f}, Labels{0}), 0.251);
  // No threshold of [0, 1] can say no to a score of 1: the first one is as good as any.
  EXPECT_EQ(best_threshold(Scores{1.0f}, Labels{0}), 0.0);
}

TEST(Metrics, TiesInTheDirectionTaskAreWrong) {
  EXPECT_DOUBLE_EQ(direction_accuracy(Scores{0.3f, 0.5f, 0.7f}, Scores{0.2f, 0.5f, 0.9f}), 1.0 / 3);
  EXPECT_EQ(direction_accuracy(Scores{-3.0f}, Scores{-4.0f}), 1.0);
}

TEST(Metrics, WhatCannotBeMeasuredIsAnError) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(area_under_precision_recall(Scores{0.1f, nan}, Labels{1, 0}), InputError);
  EXPECT_THROW(area_under_precision_recall_sweep(Scores{0.1f, nan}, Labels{1, 0}), InputError);
  EXPECT_THROW(best_threshold(Scores{nan}, Labels{1}), InputError);
  EXPECT_THROW(accuracy_at(0.5, Scores{nan}, Labels{1}), InputError);
  EXPECT_THROW(direction_accuracy(Scores{nan}, Scores{1.0f}), InputError);
  EXPECT_THROW(direction_accuracy(Scores{1.0f}, Scores{nan}), InputError);
  EXPECT_THROW(area_under_precision_recall(Scores{0.1f}, Labels{0}), InputError);
  EXPECT_THROW(area_under_precision_recall_sweep(Scores{0.1f}, Labels{0}), InputError);
  EXPECT_THROW(area_under_precision_recall(Scores{}, {}), InputError);
  EXPECT_THROW(best_threshold({}, {}), InputError);
  EXPECT_THROW(direction_accuracy({}, {}), InputError);
  EXPECT_THROW(best_threshold(Scores{0.1f}, Labels{0, 1}), std::logic_error);
}

}  // namespace
}  // namespace gausscse
