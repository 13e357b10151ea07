#include "experiments/statistics/tests_of_significance.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// Number of discordant pairs from which on chi-square takes the place of the exact test.
constexpr std::int64_t least_for_chi_square = 25;

double squared(double value) {
  return value * value;
}

}  // namespace

double mcnemar_p(std::int64_t only_first, std::int64_t only_second) {
  GAUSSCSE_CHECK(only_first >= 0 && only_second >= 0, only_first, " and ", only_second, " discordant pairs");
  const std::int64_t both = only_first + only_second;
  if (both == 0) return 1;
  const auto count = static_cast<double>(both);
  if (both < least_for_chi_square) {
    const auto fewer = static_cast<double>(std::min(only_first, only_second));
    return std::min(1.0, 2 * boost::math::cdf(boost::math::binomial(count, 0.5), fewer));
  }
  const double difference = std::abs(static_cast<double>(only_first - only_second)) - 1;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(1), squared(difference) / count));
}

double least_sign_test_p(std::int64_t pairs) {
  return std::min(1.0, std::exp2(1 - static_cast<double>(pairs)));
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size(), std::numeric_limits<double>::quiet_NaN());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, p[order[k]] * static_cast<double>(order.size() - k)));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

WelchTest welch_test(std::span<const double> first, std::span<const double> second) {
  constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();
  if (first.size() < 2 || second.size() < 2) return {undefined_value, undefined_value, undefined_value};
  const auto n1 = static_cast<double>(first.size()), n2 = static_cast<double>(second.size());
  const double error1 = squared(sample_deviation(first)) / n1, error2 = squared(sample_deviation(second)) / n2;
  const double difference = mean_of(first) - mean_of(second);
  if (!std::isfinite(difference) || !std::isfinite(error1 + error2))
    return {undefined_value, undefined_value, undefined_value};
  if (error1 + error2 == 0) {
    if (difference == 0) return {0, undefined_value, 1};
    return {std::copysign(std::numeric_limits<double>::infinity(), difference), undefined_value, 0};
  }
  const double t = difference / std::sqrt(error1 + error2);
  const double degrees = squared(error1 + error2) / (squared(error1) / (n1 - 1) + squared(error2) / (n2 - 1));
  if (!(degrees > 0) || !std::isfinite(t)) return {t, degrees, undefined_value};
  const double tail = boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::abs(t)));
  return {t, degrees, std::min(1.0, 2 * tail)};
}

}  // namespace gausscse
