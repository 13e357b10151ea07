#include "experiments/report/numbers/nli_summary.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace gausscse {

namespace {

using namespace testing_support;

Measurement nli_of(const std::vector<float>& similarity, const std::vector<std::uint8_t>& label) {
  return {"snli", "nli", false, {}, {{"sim_hypothesis_premise", similarity}, {"label", label}}, ""};
}

/// Returns the number of a bin's values: of the bin that a value lies in.
std::int64_t count_at(const Histograms& histograms, std::size_t series, double value) {
  const auto bin = static_cast<std::size_t>((value - histograms.low) / histograms.width);
  return histograms.series.at(series).counts.at(bin);
}

TEST(NliSummary, CountsSimilarityByLabel) {
  NliSummary seeds;
  seeds.add(nli_of({0.0f, 0.96875f, 1.0f, 0.5f, 0.75f}, {0, 0, 1, 2, 3}), true);
  seeds.add(nli_of({0.0f, 0.25f, 1.0f, 0.5f, 0.75f}, {0, 0, 1, 2, 3}), true);
  EXPECT_EQ(seeds.pairs(), 5u);
  const Histograms similarity = seeds.similarity();
  EXPECT_EQ(similarity.low, 0);
  EXPECT_EQ(similarity.width, 1.0 / 8) << "from 0 to 1 in at most 16 bins, as there are few values";
  ASSERT_EQ(similarity.series.size(), 3u);  // without the pair that has no gold label
  EXPECT_EQ(similarity.series[0].label, "entailment");
  EXPECT_EQ(count_at(similarity, 0, 0), 2);
  EXPECT_EQ(count_at(similarity, 0, 0.25), 1);
  EXPECT_EQ(count_at(similarity, 0, 0.96875), 1);
  EXPECT_EQ(similarity.series[0].total, 4);
  EXPECT_EQ(similarity.series[1].label, "neutral");
  EXPECT_EQ(count_at(similarity, 1, 1), 2);
  EXPECT_EQ(count_at(similarity, 2, 0.5), 2);
}

TEST(NliSummary, ShowsNegativeCosines) {
  NliSummary seeds;
  seeds.add(nli_of({-0.75f, 0.5f}, {0, 1}), true);
  const Histograms similarity = seeds.similarity();
  EXPECT_EQ(similarity.low, -0.75);
  EXPECT_EQ(similarity.series[0].counts.front(), 1);
  EXPECT_EQ(similarity.series[1].counts.back(), 1);
}

TEST(NliSummary, HasPrecisionAgainstEachLabel) {
  NliSummary seeds;
  // By falling score: neutral, entailment, none, contradiction, entailment.
  seeds.add(nli_of({0.9f, 0.8f, 0.7f, 0.6f, 0.5f}, {1, 0, 3, 2, 0}), true);
  const BandLines among_all = seeds.among_all.lines(), among_contradictions = seeds.among_contradictions.lines();
  ASSERT_EQ(among_all.x.size(), NliSummary::recall_points);
  EXPECT_DOUBLE_EQ(among_all.x[50], 0.5);
  EXPECT_DOUBLE_EQ(among_all.mean[50], 1.0 / 2);
  EXPECT_DOUBLE_EQ(among_all.mean[100], 2.0 / 5);
  EXPECT_DOUBLE_EQ(seeds.among_neutral.lines().mean[100], 2.0 / 3);
  EXPECT_DOUBLE_EQ(among_contradictions.mean[50], 1);
  EXPECT_DOUBLE_EQ(among_contradictions.mean[100], 2.0 / 3);
  NliSummary dropped;
  dropped.add(nli_of({0.9f, 0.8f, 0.7f, 0.6f, 0.5f}, {1, 0, 3, 2, 0}), false);
  EXPECT_DOUBLE_EQ(dropped.among_all.lines().mean[100], 2.0 / 4);
}

TEST(NliSummary, HasNoCurveAgainstALabelThatIsNotThere) {
  NliSummary seeds;
  seeds.add(nli_of({0.9f, 0.8f}, {0, 1}), true);
  EXPECT_TRUE(seeds.among_contradictions.empty());
  EXPECT_FALSE(seeds.among_neutral.empty());
}

TEST(NliSummary, FindsTheWorstPairsByTheMeanOverSeeds) {
  NliSummary seeds;
  seeds.add(nli_of({0.5f, 0.25f, 0.75f, 0.5f, 1.0f}, {0, 0, 1, 2, 3}), false);
  seeds.add(nli_of({0.0f, 0.75f, 0.25f, 0.75f, 1.0f}, {0, 0, 1, 2, 3}), false);
  const std::vector<WrongPair> missed = seeds.missed(), mistaken = seeds.mistaken();
  ASSERT_EQ(missed.size(), 2u);
  EXPECT_EQ(missed[0].pair, 0u);
  EXPECT_DOUBLE_EQ(missed[0].similarity, 0.25);
  EXPECT_EQ(missed[1].pair, 1u);
  ASSERT_EQ(mistaken.size(), 2u);  // without the pair that has no gold label
  EXPECT_EQ(mistaken[0].pair, 3u);
  EXPECT_DOUBLE_EQ(mistaken[0].similarity, 0.625);
}

TEST(NliSummary, KeepsFewWrongPairs) {
  NliSummary seeds;
  std::vector<float> similarity;
  for (int i = 0; i < 50; ++i) similarity.push_back(static_cast<float>((i * 17) % 50) / 100);
  seeds.add(nli_of(similarity, std::vector<std::uint8_t>(50, 1)), true);
  const std::vector<WrongPair> mistaken = seeds.mistaken();
  ASSERT_EQ(mistaken.size(), NliSummary::wrong_pairs);
  for (std::size_t i = 0; i < mistaken.size(); ++i)
    EXPECT_FLOAT_EQ(static_cast<float>(mistaken[i].similarity), static_cast<float>(49 - i) / 100);
}

TEST(NliSummary, OfOtherPairsInASeedHasNoWorstOnes) {
  NliSummary seeds;
  seeds.add(nli_of({0.5f, 0.25f}, {0, 1}), true);
  seeds.add(nli_of({0.5f, 0.25f}, {1, 0}), true);
  EXPECT_TRUE(seeds.missed().empty());
}

TEST(NliSummary, HasLogStandardDeviationsOfGaussians) {
  Measurement nli = nli_of({0.5f, 0.25f}, {0, 2});
  nli.columns.push_back({"log_std_premise", std::vector<float>{-10, -20}});
  nli.columns.push_back({"log_std_hypothesis", std::vector<float>{-12, -8}});
  NliSummary seeds;
  seeds.add(nli, true);
  const auto of_premise = [](double premise, double) { return premise; };
  const Histograms difference = seeds.log_std([](double premise, double hypothesis) { return premise - hypothesis; });
  // 2 of the entailment, -12 of the contradiction.
  ASSERT_EQ(difference.series.size(), 2u);
  EXPECT_EQ(difference.series[1].label, "contradiction");
  EXPECT_EQ(difference.series[1].counts.front(), 1);
  EXPECT_EQ(difference.series[0].counts.back(), 1);
  const auto begins_at = [](const Histograms& histograms, double value) {
    return histograms.low <= value && value < histograms.low + histograms.width;
  };
  EXPECT_TRUE(begins_at(difference, -12));
  EXPECT_TRUE(begins_at(seeds.log_std(of_premise), -20));
  EXPECT_TRUE(begins_at(seeds.log_std([](double, double hypothesis) { return hypothesis; }), -12));
  NliSummary plain;
  plain.add(nli_of({0.5f}, {0}), true);
  EXPECT_TRUE(plain.log_std(of_premise).series.empty());
}

TEST(NliSummary, RefusesColumnsOfOtherLengths) {
  NliSummary seeds;
  EXPECT_TRUE(says(refusal_of([&] { seeds.add(nli_of({0.5f, 0.1f}, {0}), true); }), "2 similarities and 1 labels"));
  EXPECT_TRUE(says(refusal_of([&] { seeds.add({"x", "nli", false, {}, {}, ""}, true); }), "\"x\""));
}

}  // namespace

}  // namespace gausscse
