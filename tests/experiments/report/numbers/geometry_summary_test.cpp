#include "experiments/report/numbers/geometry_summary.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

using Values = std::vector<double>;
/// Before along the second axis, after along the first, about the mean (0, 0).
TEST(GeometrySummary, PutsTheVectorsOfBothStatesOnOnePlane) {
  Measurement before{"tokens", "geometry", true, {}, {}, ""}, after = before;
  before.columns.push_back({"sentence_vector", VectorRows{3, {0, 1, 0, 0, -1, 0}}});
  after.columns.push_back({"sentence_vector", VectorRows{3, {5, 0, 0, -5, 0, 0}}});
  GeometrySummary seeds{"tokens"};
  seeds.add(nullptr, after);
  EXPECT_TRUE(seeds.plane.after_x.empty());
  seeds.add(&before, after);
  Measurement other = after;
  std::get<VectorRows>(other.columns.back().values).values = {9, 9, 9, 1, 1, 1};
  seeds.add(&before, other);
  const SentencePlane plane = seeds.plane;
  const auto expect_near = [](const Values& values, const Values& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12);
  };
  expect_near(plane.after_x, {5, -5});
  expect_near(plane.after_y, {0, 0});
  expect_near(plane.before_x, {0, 0});
  expect_near(plane.before_y, {1, -1});
  EXPECT_NEAR(plane.first_share, 50.0 / 52, 1e-12);
  EXPECT_NEAR(plane.second_share, 2.0 / 52, 1e-12);

  EXPECT_TRUE(seeds.early_plane.after_x.empty());
  seeds.add_early(before, other, 200);
  seeds.add_early(before, after, 400);  // of another seed, or a later step: the first stays
  EXPECT_EQ(seeds.early_steps, 200);
  // About the mean (2.5, 2.5, 2.5): along the diagonal, on which the states after lie.
  const SentencePlane early = seeds.early_plane;
  ASSERT_EQ(early.after_x.size(), 2u);
  EXPECT_GT(std::abs(early.after_x[0] - early.after_x[1]), 8 * std::sqrt(3.0) - 0.1);
  EXPECT_EQ(seeds.plane.after_x.size(), 2u);
  expect_near(seeds.plane.after_x, {5, -5});

  std::get<VectorRows>(other.columns.back().values).width = 2;
  GeometrySummary unlike{"tokens"};
  EXPECT_THROW(unlike.add_early(before, other, 1), InputError);
  EXPECT_THROW(unlike.add(&before, other), InputError);
}

}  // namespace

}  // namespace gausscse
