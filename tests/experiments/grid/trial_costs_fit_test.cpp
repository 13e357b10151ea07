#include "experiments/grid/trial_costs_fit.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gausscse {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(median({5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({100, 1, 2, 4}), 3);
  EXPECT_THROW(median({}), std::logic_error);
}

TEST(CostAt, IsOnTheLineBetweenTheSizesAround) {
  const std::map<double, double> costs{{16, 2}, {32, 3}, {64, 9}};
  EXPECT_DOUBLE_EQ(cost_at(costs, 16), 2);
  EXPECT_DOUBLE_EQ(cost_at(costs, 32), 3);
  EXPECT_DOUBLE_EQ(cost_at(costs, 64), 9);
  EXPECT_DOUBLE_EQ(cost_at(costs, 24), 2.5);
  EXPECT_DOUBLE_EQ(cost_at(costs, 48), 6);
}

TEST(CostAt, IsOnTheLineThroughTheTwoNearestOutside) {
  const std::map<double, double> costs{{16, 2}, {32, 3}, {64, 4}};
  EXPECT_DOUBLE_EQ(cost_at(costs, 8), 1.5);
  EXPECT_DOUBLE_EQ(cost_at(costs, 128), 6);
}

TEST(CostAt, NeitherFallsWithTheSizeNorGrowsFasterThanIt) {
  EXPECT_DOUBLE_EQ(cost_at({{16, 3}, {32, 2}}, 64), 2);
  EXPECT_DOUBLE_EQ(cost_at({{16, 3}, {32, 2}}, 8), 3);
  EXPECT_DOUBLE_EQ(cost_at({{16, 1}, {32, 4}}, 64), 8);
  EXPECT_DOUBLE_EQ(cost_at({{16, 1}, {32, 4}}, 8), 0.5);
}

TEST(CostAt, TakesASingleOneInProportion) {
  EXPECT_DOUBLE_EQ(cost_at({{16, 2}}, 8), 1);
  EXPECT_DOUBLE_EQ(cost_at({{16, 2}}, 16), 2);
  EXPECT_DOUBLE_EQ(cost_at({{16, 2}}, 64), 8);
  EXPECT_THROW(cost_at({}, 1), std::logic_error);
}

TEST(FitCostLine, IsTheLineOfLeastSquares) {
  const CostLine exact = fit_cost_line({{1, 7}, {5, 15}, {10, 25}});
  EXPECT_DOUBLE_EQ(exact.base, 5);
  EXPECT_DOUBLE_EQ(exact.slope, 2);
  EXPECT_DOUBLE_EQ(exact.at(20), 45);
  // Means 4/3 and 4, covariance 13, variance 14/3.
  const CostLine near = fit_cost_line({{0, 1}, {1, 2}, {3, 9}});
  EXPECT_NEAR(near.slope, 39.0 / 14, 1e-12);
  EXPECT_NEAR(near.base, 4 - 39.0 / 14 * 4 / 3, 1e-12);
}

TEST(FitCostLine, NeitherFallsNorBeginsBelowZero) {
  const CostLine level = fit_cost_line({{1, 4}, {2, 2}});
  EXPECT_DOUBLE_EQ(level.base, 3);
  EXPECT_DOUBLE_EQ(level.slope, 0);
  const CostLine through_zero = fit_cost_line({{1, 1}, {2, 4}});
  EXPECT_DOUBLE_EQ(through_zero.base, 0);
  EXPECT_DOUBLE_EQ(through_zero.slope, 9.0 / 5);
  EXPECT_THROW(fit_cost_line({{1, 1}}), std::logic_error);
}

}  // namespace
}  // namespace gausscse
