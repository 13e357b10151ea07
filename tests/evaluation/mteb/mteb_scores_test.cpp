#include "base/strict_json.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/mteb/scores.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::mteb {
namespace {

using Values = std::vector<double>;

/// Similarities and scores that mteb's own classes gave.
const nlohmann::json& cases() {
  static const JsonDocument read = read_strict_json(golden("metrics/mteb_scores.json"));
  return read.value();
}

PairSimilarities similarities_of(const nlohmann::json& of_case) {
  const nlohmann::json& similarity = of_case.at("similarity");
  return {.own = similarity.at("similarity_scores").get<Values>(),
          .cosine = similarity.at("cosine_scores").get<Values>(),
          .dot = similarity.at("dot_scores").get<Values>(),
          .manhattan = similarity.at("manhattan_distances").get<Values>(),
          .euclidean = similarity.at("euclidean_distances").get<Values>()};
}

/// The same names, and the same values; the last is the main score, by `main`.
void expect_equal(const std::vector<Metric>& scores, const nlohmann::json& expected, const char* main) {
  ASSERT_EQ(scores.size(), expected.size() + 1);
  for (const Metric& score : scores) {
    if (score.name == "main_score") continue;
    ASSERT_TRUE(expected.contains(score.name)) << score.name;
    EXPECT_NEAR(score.value, expected.at(score.name).get<double>(), 1e-12) << score.name;
  }
  EXPECT_EQ(scores.back().name, "main_score");
  EXPECT_EQ(scores.back().value, find_metric(scores, main)->value);
}

TEST(MtebScores, OfStsEqualMtebs) {
  ASSERT_EQ(cases().size(), 4u);
  for (const auto& each : cases()) {
    SCOPED_TRACE(each.at("name"));
    expect_equal(sts_scores(similarities_of(each), each.at("gold").get<Values>()), each.at("sts"), "cosine_spearman");
  }
}

TEST(MtebScores, OfPairClassificationEqualMtebs) {
  for (const auto& each : cases()) {
    SCOPED_TRACE(each.at("name"));
    const auto positive = each.at("labels").get<std::vector<std::uint8_t>>();
    expect_equal(pair_classification_scores(similarities_of(each), positive), each.at("pair_classification"), "max_ap");
  }
}

/// No threshold lies between equal scores, so that none is found.
TEST(MtebScores, OfPairsOfOneScoreThereIsNoThreshold) {
  const Values equal(4, 0.5);
  const std::vector<std::uint8_t> positive{1, 0, 0, 1};
  const auto scores = pair_classification_scores({equal, equal, equal, equal, equal}, positive);
  EXPECT_EQ(find_metric(scores, "cosine_accuracy")->value, 0);
  EXPECT_EQ(find_metric(scores, "cosine_accuracy_threshold")->value, -1);
  EXPECT_EQ(find_metric(scores, "cosine_f1")->value, 0);
  EXPECT_EQ(find_metric(scores, "cosine_f1_threshold")->value, 0);
  EXPECT_EQ(find_metric(scores, "cosine_ap")->value, 0.5);
}

TEST(MtebScores, KnowThePairsOfMtebsTasks) {
  EXPECT_EQ(pairs_of_sts_task("STS12"), 3108u);
  EXPECT_EQ(pairs_of_sts_task("STS13"), 1500u);
  EXPECT_EQ(pairs_of_sts_task("STS14"), 3750u);
  EXPECT_EQ(pairs_of_sts_task("STS15"), 3000u);
  EXPECT_EQ(pairs_of_sts_task("STS16"), 1186u);
  EXPECT_EQ(pairs_of_sts_task("STSBenchmark"), 1379u);
  EXPECT_EQ(pairs_of_sts_task("SICK-R"), 9927u);
  EXPECT_EQ(pairs_of_sts_task("STS17"), std::nullopt);
  EXPECT_EQ(pairs_of_sts_task(""), std::nullopt);
}

TEST(Pearson, IsTheCorrelationOfTheValues) {
  EXPECT_NEAR(pearson(Values{1, 2, 4}, Values{2, 1, 5}), 48 / std::sqrt(42.0 * 78), 1e-15);
  EXPECT_NEAR(pearson(Values{1, 2, 3}, Values{5, 3, 1}), -1, 1e-15);
  EXPECT_TRUE(std::isnan(pearson(Values{0.1, 0.1, 0.1}, Values{1, 2, 3})));
  EXPECT_TRUE(std::isnan(pearson(Values{1, 2, 3}, Values{0.1, 0.1, 0.1})));
  EXPECT_TRUE(std::isnan(pearson(Values{}, Values{})));
  EXPECT_TRUE(std::isnan(pearson(Values{1}, Values{1})));
}

}  // namespace
}  // namespace gausscse::mteb
