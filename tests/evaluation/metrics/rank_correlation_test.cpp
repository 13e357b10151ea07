#include "base/strict_json.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Values = std::vector<double>;

TEST(Spearman, EqualsScipy) {
  const nlohmann::json cases = read_strict_json(golden("metrics/rank_correlation.json"));
  ASSERT_GE(cases.size(), 6u);
  for (const auto& each : cases)
    EXPECT_NEAR(spearman(each.at("x").get<Values>(), each.at("y").get<Values>()), each.at("spearman").get<double>(),
                1e-12)
        << each.at("name");
}

TEST(Spearman, EqualValuesShareTheirRank) {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  EXPECT_NEAR(spearman(Values{1, 5, 5, 9}, Values{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), 1e-15);
  EXPECT_EQ(spearman(Values{1, 2, 3}, Values{10, 20, 300}), 1);
  EXPECT_EQ(spearman(Values{1, 2, 3}, Values{3, 2, 1}), -1);
}

TEST(Spearman, DoesNotExistWhereASideIsConstant) {
  EXPECT_TRUE(std::isnan(spearman(Values{1, 1, 1}, Values{1, 2, 3})));
  EXPECT_TRUE(std::isnan(spearman(Values{1, 2, 3}, Values{4, 4, 4})));
  EXPECT_TRUE(std::isnan(spearman(Values{1}, Values{2})));
  EXPECT_TRUE(std::isnan(spearman(Values{}, Values{})));
}

TEST(Spearman, RefusesNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal_of([&] { spearman(Values{1, nan}, Values{1, 2}); }), "accepted");
  EXPECT_NE(refusal_of([&] { spearman(Values{1, 2}, Values{nan, 2}); }), "accepted");
}

}  // namespace
}  // namespace gausscse
