#include "experiments/statistics/principal_components.hpp"

#include <ATen/Parallel.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Floats = std::vector<float>;

/// Vectors m + s (0.6, 0.8) + t (-0.8, 0.6) for s = -5, 0, 5 and t = -1, 1: the variances are 50/3 and 1.
TEST(PrincipalComponents, AreTheDirectionsOfTheLargestVariance) {
  Floats vectors;
  for (const float s : {-5.0f, 0.0f, 5.0f})
    for (const float t : {-1.0f, 1.0f})
      for (const float value : {7 + 0.6f * s - 0.8f * t, -3 + 0.8f * s + 0.6f * t}) vectors.push_back(value);
  const PrincipalComponents found = principal_components(vectors, 2, 2);
  ASSERT_EQ(found.count, 2);
  EXPECT_NEAR(found.shares[0], 50.0 / 3 / (50.0 / 3 + 1), 1e-6);
  EXPECT_NEAR(found.shares[1], 1 / (50.0 / 3 + 1), 1e-6);
  ASSERT_EQ(found.coordinates.size(), 12u);
  std::size_t row = 0;
  for (const double s : {-5.0, 0.0, 5.0}) {
    for (const double t : {-1.0, 1.0}) {
      EXPECT_NEAR(found.coordinates[2 * row], s, 1e-5);
      // The element of the largest absolute value, 0.8, is positive: the direction is (0.8, -0.6).
      EXPECT_NEAR(found.coordinates[2 * row + 1], -t, 1e-5);
      ++row;
    }
  }
}

/// More dimensions than vectors, along an axis: the other components have no share.
TEST(PrincipalComponents, OfPointsOnALineAreTheLine) {
  const Floats vectors{0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0, -2, 0, 0};
  const PrincipalComponents found = principal_components(vectors, 5, 2);
  ASSERT_EQ(found.coordinates.size(), 6u);
  EXPECT_NEAR(found.coordinates[0], 0, 1e-12);
  EXPECT_NEAR(found.coordinates[2], 3, 1e-12);
  EXPECT_NEAR(found.coordinates[4], -3, 1e-12);
  EXPECT_NEAR(found.coordinates[3], 0, 1e-12);
  EXPECT_NEAR(found.shares[0], 1, 1e-12);
  EXPECT_NEAR(found.shares[1], 0, 1e-12);
}

TEST(PrincipalComponents, AreAsManyAsThereAreDimensions) {
  const PrincipalComponents one = principal_components(Floats{1, 3, 8}, 1, 2);
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.coordinates, (std::vector<double>{-3, -1, 4}));
  const PrincipalComponents equal = principal_components(Floats{1, 2, 1, 2}, 2, 2);
  EXPECT_EQ(equal.shares, (std::vector<double>{0, 0}));
  EXPECT_EQ(equal.coordinates, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_TRUE(principal_components({}, 3, 2).coordinates.empty());
}

TEST(PrincipalComponents, SameBitsForAnyNumberOfThreads) {
  Floats vectors;
  for (int i = 0; i < 300 * 40; ++i) vectors.push_back(static_cast<float>(std::sin(i * 0.37) * (1 + i % 40)));
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const PrincipalComponents one = principal_components(vectors, 40, 2);
  at::set_num_threads(3);
  const PrincipalComponents three = principal_components(vectors, 40, 2);
  at::set_num_threads(before);
  EXPECT_EQ(one.coordinates, three.coordinates);
  EXPECT_EQ(one.shares, three.shares);
}

TEST(PrincipalComponents, OfWhatIsNotFiniteAreRefused) {
  EXPECT_THROW(principal_components(Floats{1, std::numeric_limits<float>::infinity()}, 1, 1), InputError);
  EXPECT_THROW(principal_components(Floats{1, std::numeric_limits<float>::quiet_NaN()}, 2, 1), InputError);
}

}  // namespace
}  // namespace gausscse
