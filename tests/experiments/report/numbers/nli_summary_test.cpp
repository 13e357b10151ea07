#include "experiments/report/numbers/nli_summary.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace gausscse {

namespace {

using namespace testing_support;

Measurement nli_of(const std::vector<float>& similarity, const std::vector<std::uint8_t>& label) {
  return {"snli", "nli", false, {}, {{"sim_hypothesis_premise", similarity}, {"label", label}}, ""};
}

TEST(NliSummary, CountsSimilarityByLabel) {
  NliSummaryOfSeeds seeds;
  seeds.add(nli_of({0.01f, 0.99f, 1.0f, 0.5f, 0.5f}, {0, 0, 1, 2, 3}), true);
  seeds.add(nli_of({0.01f, 0.03f, 1.0f, 0.5f, 0.5f}, {0, 0, 1, 2, 3}), true);
  const NliSummary summary = seeds.summary();
  EXPECT_EQ(summary.task, "snli");
  EXPECT_EQ(summary.pairs, 5u);
  EXPECT_EQ(summary.similarity.low, 0);
  EXPECT_EQ(summary.similarity.width, 0.025);
  ASSERT_EQ(summary.similarity.series.size(), 3u);  // without the pair that has no gold label
  const auto& entailment = summary.similarity.series[0];
  EXPECT_EQ(entailment.label, "entailment");
  ASSERT_EQ(entailment.counts.size(), 40u);
  EXPECT_EQ(entailment.counts[0], 2);
  EXPECT_EQ(entailment.counts[1], 1);
  EXPECT_EQ(entailment.counts[39], 1);
  EXPECT_EQ(entailment.total, 4);
  EXPECT_EQ(summary.similarity.series[1].label, "neutral");
  EXPECT_EQ(summary.similarity.series[1].counts[39], 2);
  EXPECT_EQ(summary.similarity.series[2].counts[20], 2);
}

TEST(NliSummary, ShowsNegativeCosines) {
  NliSummaryOfSeeds seeds;
  seeds.add(nli_of({-0.99f, 0.5f}, {0, 1}), true);
  const Histograms similarity = seeds.summary().similarity;
  EXPECT_EQ(similarity.low, -1);
  EXPECT_EQ(similarity.series[0].counts.size(), 80u);
  EXPECT_EQ(similarity.series[0].counts[0], 1);
}

TEST(NliSummary, HasPrecisionAgainstEachLabel) {
  NliSummaryOfSeeds seeds;
  // By falling score: neutral, entailment, none, contradiction, entailment.
  seeds.add(nli_of({0.9f, 0.8f, 0.7f, 0.6f, 0.5f}, {1, 0, 3, 2, 0}), true);
  const NliSummary with = seeds.summary();
  ASSERT_EQ(with.among_all.x.size(), NliSummaryOfSeeds::recall_points);
  EXPECT_DOUBLE_EQ(with.among_all.x[50], 0.5);
  EXPECT_DOUBLE_EQ(with.among_all.mean[50], 1.0 / 2);
  EXPECT_DOUBLE_EQ(with.among_all.mean[100], 2.0 / 5);
  EXPECT_DOUBLE_EQ(with.among_neutral.mean[100], 2.0 / 3);
  EXPECT_DOUBLE_EQ(with.among_contradictions.mean[50], 1);
  EXPECT_DOUBLE_EQ(with.among_contradictions.mean[100], 2.0 / 3);
  NliSummaryOfSeeds dropped;
  dropped.add(nli_of({0.9f, 0.8f, 0.7f, 0.6f, 0.5f}, {1, 0, 3, 2, 0}), false);
  EXPECT_DOUBLE_EQ(dropped.summary().among_all.mean[100], 2.0 / 4);
}

TEST(NliSummary, HasNoCurveAgainstALabelThatIsNotThere) {
  NliSummaryOfSeeds seeds;
  seeds.add(nli_of({0.9f, 0.8f}, {0, 1}), true);
  EXPECT_TRUE(seeds.summary().among_contradictions.x.empty());
  EXPECT_FALSE(seeds.summary().among_neutral.x.empty());
}

TEST(NliSummary, FindsTheWorstPairsByTheMeanOverSeeds) {
  NliSummaryOfSeeds seeds;
  seeds.add(nli_of({0.5f, 0.25f, 0.75f, 0.5f, 1.0f}, {0, 0, 1, 2, 3}), false);
  seeds.add(nli_of({0.0f, 0.75f, 0.25f, 0.75f, 1.0f}, {0, 0, 1, 2, 3}), false);
  const NliSummary summary = seeds.summary();
  ASSERT_EQ(summary.missed.size(), 2u);
  EXPECT_EQ(summary.missed[0].pair, 0u);
  EXPECT_DOUBLE_EQ(summary.missed[0].similarity, 0.25);
  EXPECT_EQ(summary.missed[1].pair, 1u);
  ASSERT_EQ(summary.mistaken.size(), 2u);  // without the pair that has no gold label
  EXPECT_EQ(summary.mistaken[0].pair, 3u);
  EXPECT_EQ(summary.mistaken[0].label, 2);
  EXPECT_DOUBLE_EQ(summary.mistaken[0].similarity, 0.625);
}

TEST(NliSummary, KeepsFewWrongPairs) {
  NliSummaryOfSeeds seeds;
  std::vector<float> similarity;
  for (int i = 0; i < 50; ++i) similarity.push_back(static_cast<float>((i * 17) % 50) / 100);
  seeds.add(nli_of(similarity, std::vector<std::uint8_t>(50, 1)), true);
  const NliSummary summary = seeds.summary();
  ASSERT_EQ(summary.mistaken.size(), NliSummaryOfSeeds::wrong_pairs);
  for (std::size_t i = 0; i < summary.mistaken.size(); ++i)
    EXPECT_FLOAT_EQ(static_cast<float>(summary.mistaken[i].similarity), static_cast<float>(49 - i) / 100);
}

TEST(NliSummary, OfOtherPairsInASeedHasNoWorstOnes) {
  NliSummaryOfSeeds seeds;
  seeds.add(nli_of({0.5f, 0.25f}, {0, 1}), true);
  seeds.add(nli_of({0.5f, 0.25f}, {1, 0}), true);
  EXPECT_TRUE(seeds.summary().missed.empty());
}

TEST(NliSummary, HasLogStandardDeviationsOfGaussians) {
  Measurement nli = nli_of({0.5f, 0.25f}, {0, 2});
  nli.columns.push_back({"log_std_premise", std::vector<float>{-10, -20}});
  nli.columns.push_back({"log_std_hypothesis", std::vector<float>{-12, -8}});
  NliSummaryOfSeeds seeds;
  seeds.add(nli, true);
  const NliSummary summary = seeds.summary();
  ASSERT_EQ(summary.log_std_difference.series.size(), 2u);
  const Histograms& difference = summary.log_std_difference;
  // 2 of the entailment, -12 of the contradiction.
  EXPECT_EQ(difference.series[1].label, "contradiction");
  EXPECT_EQ(difference.series[1].counts.front(), 1);
  EXPECT_LE(difference.low, -12);
  EXPECT_GT(difference.low + difference.width, -12);
  EXPECT_EQ(difference.series[0].counts.back(), 1);
  EXPECT_LE(summary.log_std_premise.low, -20);
  EXPECT_GT(summary.log_std_premise.low + summary.log_std_premise.width, -20);
  EXPECT_LE(summary.log_std_hypothesis.low, -12);
  EXPECT_GT(summary.log_std_hypothesis.low + summary.log_std_hypothesis.width, -12);
  NliSummaryOfSeeds plain;
  plain.add(nli_of({0.5f}, {0}), true);
  EXPECT_TRUE(plain.summary().log_std_premise.series.empty());
}

TEST(NliSummary, RefusesColumnsOfOtherLengths) {
  NliSummaryOfSeeds seeds;
  EXPECT_TRUE(says(refusal_of([&] { seeds.add(nli_of({0.5f, 0.1f}, {0}), true); }), "2 similarities and 1 labels"));
  EXPECT_TRUE(says(refusal_of([&] { seeds.add({"x", "nli", false, {}, {}, ""}, true); }), "\"x\""));
}

}  // namespace

}  // namespace gausscse
