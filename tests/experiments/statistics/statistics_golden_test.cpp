#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/strict_json.hpp"
#include "experiments/statistics/bootstrap.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/intervals.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using Sample = std::vector<double>;

nlohmann::json golden_cases(const char* kind) {
  const nlohmann::json all = read_strict_json(testing_support::golden("statistics/cases.json"));
  nlohmann::json cases = all.at(kind);
  EXPECT_GE(cases.size(), 3u) << kind;
  return cases;
}

/// Within 1e-11 of the golden's size, or of 1e-3 where it is smaller.
void expect_close(double value, const nlohmann::json& golden, const std::string& what) {
  const double wanted = golden.get<double>();
  EXPECT_NEAR(value, wanted, 1e-11 * std::max(1e-3, std::abs(wanted))) << what;
}

TEST(StatisticsGolden, MeansDeviationsAndStudentsIntervals) {
  for (const auto& each : golden_cases("samples")) {
    const std::string name = each.at("name");
    const Sample values = each.at("values");
    expect_close(mean_of(values), each.at("mean"), name);
    EXPECT_NEAR(sample_deviation(values), each.at("deviation").get<double>(), 1e-9) << name;
    expect_close(median_of(values), each.at("median"), name);
    ASSERT_EQ(each.at("intervals").size(), 3u);
    for (const auto& interval : each.at("intervals")) {
      const Interval found = student_interval(values, interval.at("confidence"));
      expect_close(found.low, interval.at("low"), name);
      expect_close(found.high, interval.at("high"), name);
    }
  }
}

TEST(StatisticsGolden, WilsonsIntervals) {
  for (const auto& each : golden_cases("wilson")) {
    const Interval found = wilson_interval(each.at("successes"), each.at("trials"), each.at("confidence"));
    expect_close(found.low, each.at("low"), each.dump());
    expect_close(found.high, each.at("high"), each.dump());
  }
}

TEST(StatisticsGolden, McNemarsTest) {
  for (const auto& each : golden_cases("mcnemar"))
    expect_close(mcnemar_p(each.at("b"), each.at("c")), each.at("p"), each.dump());
}

TEST(StatisticsGolden, HolmsCorrection) {
  for (const auto& each : golden_cases("holm")) {
    const Sample adjusted = holm_adjusted(each.at("p").get<Sample>()), wanted = each.at("adjusted");
    ASSERT_EQ(adjusted.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(adjusted[i], wanted[i], 1e-15) << each.dump();
  }
}

TEST(StatisticsGolden, WelchsTest) {
  for (const auto& each : golden_cases("welch")) {
    const WelchTest found = welch_test(each.at("first").get<Sample>(), each.at("second").get<Sample>());
    EXPECT_NEAR(found.t, each.at("t").get<double>(), 1e-9 * std::abs(each.at("t").get<double>())) << each.dump();
    EXPECT_NEAR(found.degrees, each.at("degrees").get<double>(), 1e-9) << each.dump();
    EXPECT_NEAR(found.p, each.at("p").get<double>(), 1e-9) << each.dump();
  }
}

TEST(StatisticsGolden, BootstrapDrawsWhatItsDefinitionSays) {
  for (const auto& each : golden_cases("bootstrap")) {
    for (const int threads : {1, 3}) {
      const BootstrapSettings settings{
          .draws = each.at("draws"), .confidence = each.at("confidence"), .seed = each.at("seed"), .threads = threads};
      const BootstrapResult found =
          bootstrap_difference(each.at("first").get<Sample>(), each.at("second").get<Sample>(), settings);
      EXPECT_NEAR(found.interval.low, each.at("low").get<double>(), 1e-14);
      EXPECT_NEAR(found.interval.high, each.at("high").get<double>(), 1e-14);
      EXPECT_NEAR(found.p, each.at("p").get<double>(), 1e-14);
      EXPECT_EQ(found.undefined, 0);
    }
  }
}

}  // namespace
}  // namespace gausscse
