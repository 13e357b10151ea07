#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "experiments/statistics/bootstrap_metrics.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "tests/experiments/statistics/bootstrap_difference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Sample = std::vector<double>;

nlohmann::json golden_cases(const char* kind) {
  const nlohmann::json all = read_strict_json(golden("statistics/cases.json"));
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

TEST(StatisticsGolden, MetricsOfDrawnItems) {
  for (const auto& each : golden_cases("drawn")) {
    const std::vector<float> scores = each.at("scores");
    const std::vector<std::uint8_t> positive = each.at("positive");
    const std::vector<std::int64_t> part = each.at("part");
    const Sample gold = each.at("gold"), x(scores.begin(), scores.end());
    const MetricOnSample metrics[] = {drawn_precision_recall_area(scores, positive, CurvePoints::every_score),
                                      drawn_precision_recall_area(scores, positive, CurvePoints::sweep),
                                      drawn_spearman(x, gold, part, PartsOfCorrelation::together),
                                      drawn_spearman(x, gold, part, PartsOfCorrelation::mean),
                                      drawn_spearman(x, gold, part, PartsOfCorrelation::mean_by_numbers)};
    for (std::size_t draw = 0; draw < each.at("figures").size(); ++draw) {
      PhiloxStream random(each.at("seed"), draw);
      std::vector<std::uint32_t> drawn(scores.size());
      for (std::uint32_t& item : drawn) item = random.below(static_cast<std::uint32_t>(scores.size()));
      for (std::size_t i = 0; i < std::size(metrics); ++i)
        EXPECT_NEAR(metrics[i](drawn), each.at("figures")[draw][i].get<double>(), 1e-12) << draw << " " << i;
    }
  }
}

TEST(StatisticsGolden, MetricsThatDrawnItemsDoNotHave) {
  const std::vector<float> scores{0.5f, 0.25f, 0.75f};
  const MetricOnSample area =
      drawn_precision_recall_area(scores, std::vector<std::uint8_t>{1, 0, 0}, CurvePoints::every_score);
  const std::vector<std::uint32_t> no_positive{1, 2, 2}, one_value{1, 1, 1}, all{0, 1, 2};
  EXPECT_TRUE(std::isnan(area(no_positive)));
  EXPECT_EQ(area(all), 0.25 * 1 + 0) << "recall rises from 0 to 1 between the precisions 0 and 1/2";
  const Sample x{0.5, 0.25, 0.75}, y{1, 2, 3};
  const MetricOnSample correlation =
      drawn_spearman(x, y, std::vector<std::int64_t>{0, 0, 0}, PartsOfCorrelation::together);
  EXPECT_TRUE(std::isnan(correlation(one_value)));
  EXPECT_EQ(correlation(all), 0.5) << "1 - 6 (1 + 1) / (3 (9 - 1))";
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(drawn_precision_recall_area(std::vector<float>{none}, std::vector<std::uint8_t>{1}, CurvePoints::sweep),
               InputError);
}

}  // namespace
}  // namespace gausscse
