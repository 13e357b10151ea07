#include "inference/calibration/risk_cuts.hpp"

#include "base/philox.hpp"
#include "base/strict_json.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using WrongAnswers = std::vector<std::uint8_t>;
using Confidences = std::vector<double>;

JsonDocument golden_risks() {
  return read_strict_json(golden("calibration/cases.json"));
}

TEST(RiskCuts, EqualScipyAndMapiesTestOfAFixedSequence) {
  const JsonDocument golden = golden_risks();
  ASSERT_EQ(golden->at("risks").size(), 5u);
  for (const nlohmann::json& json : golden->at("risks")) {
    const auto confidence = json.at("confidence").get<Confidences>();
    SCOPED_TRACE(confidence.size());
    const std::vector<RiskCut> cuts = risk_cuts_of(confidence, json.at("wrong").get<WrongAnswers>());
    ASSERT_EQ(cuts.size(), json.at("cuts").size());
    for (std::size_t i = 0; i < cuts.size(); ++i)
      EXPECT_EQ(cuts[i], (RiskCut{json.at("cuts")[i][0], json.at("cuts")[i][1], json.at("cuts")[i][2]})) << i;
    for (const auto& [risk, found] : json.at("found").items())
      EXPECT_EQ(confidence_at(cuts, std::stod(risk)), found.is_null() ? std::nullopt : std::optional<double>(found))
          << risk;
  }
}

TEST(RiskCuts, EqualScipysBinomialDistribution) {
  const JsonDocument golden = golden_risks();
  ASSERT_EQ(golden->at("binomial_cdf").size(), 6u);
  for (const nlohmann::json& json : golden->at("binomial_cdf"))
    EXPECT_NEAR(binomial_cdf(json[0], json[1], json[2]) / json[3].get<double>(), 1, 1e-9) << json;
}

TEST(RiskCuts, StopAtTheFirstCutThatFailsOfEachStart) {
  // A start takes a quarter of 5 %: 86 answers without an error are the fewest that bound the error by 5 %.
  EXPECT_EQ(least_answered(0.05), 86u);
  const RiskCut too_few{0.99, 85, 0}, passes{0.98, 86, 0}, rest{0.5, 10'000, 4000};
  EXPECT_EQ(confidence_at({too_few}, 0.05), std::nullopt);
  EXPECT_EQ(confidence_at({too_few, passes}, 0.05), 0.98);
  // Between the first start and the second nothing is tested behind a failure.
  const RiskCut first{0.97, 500, 0}, fails{0.96, 600, 100}, behind{0.95, 999, 1};
  EXPECT_EQ(confidence_at({first, behind, rest}, 0.05), 0.95);
  EXPECT_EQ(confidence_at({first, fails, behind, rest}, 0.05), 0.97);
  EXPECT_EQ(confidence_at({fails, behind, rest}, 0.05), std::nullopt);
  // The first start fails at once, the second or the last one passes.
  const RiskCut at_5{0.99, 500, 100}, at_10{0.9, 1000, 30}, at_20{0.8, 2000, 60}, bad_at_20{0.8, 2000, 600},
      at_40{0.7, 4000, 100};
  EXPECT_EQ(confidence_at({at_5, at_10, rest}, 0.05), 0.9);
  EXPECT_EQ(confidence_at({at_5, at_10, at_20, rest}, 0.05), 0.8);
  EXPECT_EQ(confidence_at({at_5, at_10, bad_at_20, rest}, 0.05), 0.9);
  EXPECT_EQ(confidence_at({at_5, at_10, bad_at_20, at_40, rest}, 0.05), 0.7);
  EXPECT_EQ(confidence_at({at_5, RiskCut{0.9, 999, 30}, rest}, 0.05), std::nullopt) << "under 10 % of the pairs";
  EXPECT_EQ(confidence_at({}, 0.05), std::nullopt);
}

TEST(RiskCuts, RefuseARiskThatIsNone) {
  for (const double risk : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_TRUE(says(refusal_of([&] { confidence_at({}, risk); }), "give a number over 0 and under 1")) << risk;
}

TEST(RiskCuts, KeepTheirPromiseOnNewPairs) {
  // Pairs whose answers at confidence c are wrong with probability 1 - c: at risk 10 % the true error of all that are
  // answered is at most 10 % for 95 % of the draws.
  int broken = 0, answered = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    PhiloxStream random(9, round);
    Confidences confidence;
    WrongAnswers wrong;
    for (int i = 0; i < 500; ++i) {
      confidence.push_back(0.5 + random.uniform() / 2);
      wrong.push_back(random.uniform() < 1 - confidence.back());
    }
    const auto least = confidence_at(risk_cuts_of(confidence, wrong), 0.1);
    if (!least) continue;
    ++answered;
    broken += (1 - *least) / 2 > 0.1;  // the mean of 1 - c over c in [least, 1]
  }
  EXPECT_GT(answered, 80);
  EXPECT_LE(broken, 16);  // at most 10 are expected
}

}  // namespace
}  // namespace gausscse
