#include "experiments/report/numbers/probability_summary.hpp"

#include "base/philox.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using ProbabilityLabels = std::vector<std::uint8_t>;

struct DrawnProbabilities {
  std::vector<double> p;
  ProbabilityLabels entailed;
};

/// Pairs whose P is drawn, rounded to multiples of 1 / `steps`, so that few steps give ties.
DrawnProbabilities drawn_probabilities(std::size_t pairs, double steps, std::uint64_t stream) {
  PhiloxStream random(5, stream);
  DrawnProbabilities drawn;
  for (std::size_t i = 0; i < pairs; ++i) {
    drawn.p.push_back(std::round(random.uniform() * steps) / steps);
    drawn.entailed.push_back(random.uniform() < drawn.p.back() * drawn.p.back());
  }
  return drawn;
}

Measurement measured_probabilities(const DrawnProbabilities& drawn) {
  ProbabilityLabels label;
  for (std::size_t i = 0; i < drawn.p.size(); ++i) label.push_back(drawn.entailed[i] ? 0 : 1 + i % 2);
  return {"snli", "nli", false, {}, {{"probability", drawn.p}, {"label", label}}, ""};
}

TEST(Reliability, IsThatOfBinsOfEqualMass) {
  const DrawnProbabilities drawn = drawn_probabilities(100, 1e9, 0);
  std::vector<std::pair<double, int>> sorted;
  for (std::size_t i = 0; i < 100; ++i) sorted.emplace_back(drawn.p[i], drawn.entailed[i]);
  std::sort(sorted.begin(), sorted.end());
  const std::vector<ReliabilityBin> bins = reliability_of(drawn.p, drawn.entailed);
  ASSERT_EQ(bins.size(), 15u);
  // 100 = 10 bins of seven pairs and five of six.
  std::size_t begin = 0;
  for (std::size_t bin = 0; bin < 15; ++bin) {
    const std::size_t pairs = bin < 10 ? 7 : 6;
    double p = 0, entailed = 0;
    for (std::size_t i = begin; i < begin + pairs; ++i) {
      p += sorted[i].first / static_cast<double>(pairs);
      entailed += sorted[i].second;
    }
    begin += pairs;
    const auto n = static_cast<double>(pairs);
    const double share = entailed / n, z2 = 1.959963984540054 * 1.959963984540054;
    const double half = std::sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)));
    EXPECT_EQ(bins[bin].pairs, n) << bin;
    EXPECT_NEAR(bins[bin].probability, p, 1e-12) << bin;
    EXPECT_NEAR(bins[bin].share, share, 1e-12) << bin;
    EXPECT_NEAR(bins[bin].interval.low, std::max(0.0, (share + z2 / (2 * n) - half) / (1 + z2 / n)), 1e-12) << bin;
    EXPECT_NEAR(bins[bin].interval.high, std::min(1.0, (share + z2 / (2 * n) + half) / (1 + z2 / n)), 1e-12) << bin;
  }
  EXPECT_EQ(begin, 100u);
}

TEST(Reliability, DoesNotDependOnTheOrderOfEqualPairs) {
  // Thirty pairs of one P, of which ten are entailed: each bin has two of them, and a third of these.
  ProbabilityLabels entailed(30, 0);
  std::fill(entailed.begin() + 4, entailed.begin() + 14, 1);
  for (const ReliabilityBin& bin : reliability_of(std::vector<double>(30, 0.25), entailed)) {
    EXPECT_EQ(bin.pairs, 2);
    EXPECT_NEAR(bin.probability, 0.25, 1e-15);
    EXPECT_NEAR(bin.share, 1.0 / 3, 1e-12);
  }
  EXPECT_EQ(reliability_of(std::vector<double>{0.5, 0.25}, ProbabilityLabels{1, 0}).size(), 2u);
  EXPECT_TRUE(reliability_of({}, {}).empty());
}

TEST(RiskCoverage, AnswersEqualConfidencesTogether) {
  // Confidences .9 .9 .8 .7 .5: the first is wrong, of the ties at .9; .5 is answered "entailed".
  const RiskCoverage curve =
      risk_coverage_of(std::vector<double>{0.9, 0.1, 0.2, 0.7, 0.5}, ProbabilityLabels{0, 0, 0, 0, 1});
  EXPECT_EQ(curve.coverage, (std::vector<double>{2.0 / 5, 3.0 / 5, 4.0 / 5, 1}));
  EXPECT_EQ(curve.risk, (std::vector<double>{1.0 / 2, 1.0 / 3, 2.0 / 4, 2.0 / 5}));
}

TEST(ProbabilitySummary, HasTheRiskAtEachCoverage) {
  for (const double steps : {1e9, 16.0}) {
    const DrawnProbabilities drawn = drawn_probabilities(230, steps, 1);
    ProbabilitySummary summary;
    summary.add(measured_probabilities(drawn), true);
    const BandLines lines = summary.risk.lines();
    ASSERT_EQ(lines.x.size(), 100u);
    for (int percent = 1; percent <= 100; ++percent) {
      // The highest confidence at which so many pairs are answered, and the wrong answers from it on.
      const auto answered_at = [&](double confidence) {
        return std::count_if(drawn.p.begin(), drawn.p.end(),
                             [&](double p) { return std::max(p, 1 - p) >= confidence; });
      };
      double best = 0.5;
      for (const double p : drawn.p)
        if (100 * answered_at(std::max(p, 1 - p)) >= percent * 230) best = std::max(best, std::max(p, 1 - p));
      double wrong = 0;
      for (std::size_t i = 0; i < drawn.p.size(); ++i)
        if (std::max(drawn.p[i], 1 - drawn.p[i]) >= best) wrong += (drawn.p[i] >= 0.5) != (drawn.entailed[i] != 0);
      const auto place = static_cast<std::size_t>(percent - 1);
      EXPECT_DOUBLE_EQ(lines.x[place], percent / 100.0);
      EXPECT_NEAR(lines.mean[place], wrong / static_cast<double>(answered_at(best)), 1e-12) << percent;
    }
  }
}

/// The first three of 300 pairs of falling confidence are one percent: the fourth is wrong and no part of it.
TEST(ProbabilitySummary, ReachesACoverageExactly) {
  DrawnProbabilities drawn;
  for (int i = 0; i < 300; ++i) {
    drawn.p.push_back(1 - i / 1000.0);
    drawn.entailed.push_back(i % 3 != 0 || i == 0);
  }
  ProbabilitySummary summary;
  summary.add(measured_probabilities(drawn), true);
  const std::vector<double> risk = summary.risk.lines().mean;
  for (int percent = 1; percent <= 100; ++percent)
    EXPECT_DOUBLE_EQ(risk.at(static_cast<std::size_t>(percent - 1)), (percent - 1) / (3.0 * percent)) << percent;
}

TEST(ProbabilitySummary, LeavesOutPairsOfTheCalibrationAndWithoutLabel) {
  Measurement measurement{"snli",
                          "nli",
                          false,
                          {},
                          {{"probability", std::vector<double>{0.25, 0.75, 0.5, 0.125}},
                           {"label", ProbabilityLabels{0, 1, 3, 2}},
                           {"calibrated_on", ProbabilityLabels{0, 1, 0, 0}}},
                          ""};
  const auto bins_of = [&](bool with_unlabelled) {
    ProbabilitySummary summary;
    summary.add(measurement, with_unlabelled);
    return summary.reliability();
  };
  const std::vector<ReliabilityBin> without = bins_of(false), with = bins_of(true);
  ASSERT_EQ(without.size(), 2u);
  EXPECT_EQ(without[0].probability, 0.125);
  EXPECT_EQ(without[0].share, 0);
  EXPECT_EQ(without[1].probability, 0.25);
  EXPECT_EQ(without[1].share, 1);
  ASSERT_EQ(with.size(), 3u);
  EXPECT_EQ(with[2].probability, 0.5);
  EXPECT_EQ(with[2].share, 0);
  measurement.columns[1].values = ProbabilityLabels{0};
  EXPECT_TRUE(says(refusal_of([&] { bins_of(true); }), "4 probabilities for 1 pairs"));
  measurement.columns.erase(measurement.columns.begin());
  ProbabilitySummary summary;
  summary.add(measurement, true);
  EXPECT_TRUE(summary.empty());
}

TEST(ProbabilitySummary, IsTheMeanOverSeeds) {
  ProbabilitySummary summary;
  for (const double p : {0.25, 0.75})
    summary.add(measured_probabilities({{p, 1}, p > 0.5 ? ProbabilityLabels{1, 1} : ProbabilityLabels{1, 0}}), true);
  const std::vector<ReliabilityBin> bins = summary.reliability();
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_EQ(bins[0].pairs, 1);
  EXPECT_EQ(bins[0].probability, 0.5);
  EXPECT_EQ(bins[0].share, 1);
  EXPECT_EQ(bins[1].probability, 1);
  EXPECT_EQ(bins[1].share, 0.5);
  const Histograms histograms = summary.histograms();
  ASSERT_EQ(histograms.series.size(), 2u);
  EXPECT_EQ(histograms.series[0].label, "entailment");
  EXPECT_EQ(histograms.series[0].total, 3);
  EXPECT_EQ(histograms.series[1].total, 1);
}

}  // namespace
}  // namespace gausscse
