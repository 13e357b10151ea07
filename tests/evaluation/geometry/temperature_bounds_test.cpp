#include "evaluation/geometry/temperature_bounds.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr double temperatures[] = {0.001, 0.0014, 0.01, 0.025, 0.05, 0.1, 0.3, 1};
constexpr double candidates[] = {1, 2, 16, 64, 256, 511.5, 512};

/// -ln(e^x / (e^x + n - 1)) in a type of wider exponents. Where that is ln(1 + y) of a small y, most of its digits
/// are lost, and the series stands in: y - y^2/2 + y^3/3.
long double expected(long double x, long double n) {
  const long double y = (n - 1) * std::exp(-x);
  return y < 1e-5L ? y - y * y / 2 + y * y * y / 3 : -std::log(std::exp(x) / (std::exp(x) + n - 1));
}

TEST(TemperatureBounds, AreTheirFormulas) {
  for (const double temperature : temperatures) {
    for (const double n : candidates) {
      const auto t = static_cast<long double>(temperature);
      const long double upper = expected(1 / t, n), lower = expected(2 / t, n);
      // 2/t is up to 2000, and rounded; below the least double with all its digits there is nothing to compare.
      const auto tolerance = [](long double value) {
        return static_cast<double>(value) * 1e-12 + std::numeric_limits<double>::min();
      };
      EXPECT_NEAR(upper_bound_of_loss(temperature, n), static_cast<double>(upper), tolerance(upper)) << temperature;
      EXPECT_NEAR(lower_bound_of_loss(temperature, n), static_cast<double>(lower), tolerance(lower)) << temperature;
    }
  }
}

TEST(TemperatureBounds, LowerOfTwiceTheTemperatureIsUpper) {
  for (const double temperature : temperatures)
    for (const double n : candidates)
      EXPECT_EQ(lower_bound_of_loss(2 * temperature, n), upper_bound_of_loss(temperature, n)) << temperature;
}

TEST(TemperatureBounds, AreNothingWithoutOthersAndFiniteForAnyTemperature) {
  EXPECT_EQ(upper_bound_of_loss(0.05, 1), 0);
  EXPECT_EQ(upper_bound_of_loss(1e-6, 512), 0);
  EXPECT_NEAR(lower_bound_of_loss(1e9, 512), std::log(512), 1e-8);
}

}  // namespace
}  // namespace gausscse
