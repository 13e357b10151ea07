#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "evaluation/metrics/metrics.hpp"
#include "experiments/report/numbers/nli_summary.hpp"

namespace gausscse {

namespace {

TEST(PrecisionRecall, ByHand) {
  // By falling score: 0.9 yes, 0.8 no, 0.7 yes and no at once, 0.1 yes.
  const std::array scores{0.7f, 0.9f, 0.1f, 0.8f, 0.7f, std::nanf("")};
  const std::array<std::uint8_t, 6> positive{1, 1, 1, 0, 0, 1};
  const PrecisionRecall curve = precision_recall_of(scores, positive);
  EXPECT_EQ(curve.recall, (std::vector<double>{0, 1.0 / 3, 1.0 / 3, 2.0 / 3, 1}));
  EXPECT_EQ(curve.precision, (std::vector<double>{1, 1, 1.0 / 2, 2.0 / 4, 3.0 / 5}));
}

TEST(PrecisionRecall, BetweenPoints) {
  const PrecisionRecall curve{{0, 0.5, 0.5, 1}, {1, 0.8, 0.6, 0.4}};
  EXPECT_DOUBLE_EQ(precision_at(curve, 0), 1);
  EXPECT_DOUBLE_EQ(precision_at(curve, 0.25), 0.9);
  EXPECT_DOUBLE_EQ(precision_at(curve, 0.5), 0.8);
  EXPECT_DOUBLE_EQ(precision_at(curve, 0.75), 0.5);
  EXPECT_DOUBLE_EQ(precision_at(curve, 1), 0.4);
}

TEST(PrecisionRecall, IsEmptyWithoutPositives) {
  EXPECT_TRUE(precision_recall_of(std::array{0.5f}, std::array<std::uint8_t, 1>{0}).recall.empty());
  EXPECT_TRUE(precision_recall_of({}, {}).recall.empty());
}

TEST(PrecisionRecall, HasTheAreaOfTheFigure) {
  std::mt19937 engine(3);
  std::vector<float> scores;
  std::vector<std::uint8_t> positive;
  for (int i = 0; i < 500; ++i) {
    positive.push_back(engine() % 3 == 0);
    scores.push_back(static_cast<float>(engine() % 40 + (positive.back() ? 15 : 0)));
  }
  const PrecisionRecall curve = precision_recall_of(scores, positive);
  double area = 0;
  for (std::size_t i = 1; i < curve.recall.size(); ++i)
    area += (curve.recall[i] - curve.recall[i - 1]) * (curve.precision[i] + curve.precision[i - 1]) / 2;
  EXPECT_NEAR(area, area_under_precision_recall(scores, positive), 1e-12);
}

}  // namespace

}  // namespace gausscse
