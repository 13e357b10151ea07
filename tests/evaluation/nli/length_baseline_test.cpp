#include "evaluation/nli/length_baseline.hpp"

#include <ATen/ops/zeros.h>

#include "evaluation/calibration/fit_calibration.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "evaluation/nli/nli_metrics.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Known {
  const char* file;
  setting::TwoWayPairs two_way_pairs;
  double pairs, directed_pairs;
  // In percent, two decimals, of the entailment pairs: the premise is longer, and with half of equal lengths.
  double longer, with_ties;
  double by_words;  ///< larger sum of inverse document frequencies, by a script in Python
  double auprc;     ///< AUPRC of the log ratio of lengths alone, crosswise on halves of premises, by numpy
};

NliTask task_of(const std::string& file, const std::string& threshold, setting::TwoWayPairs two_way_pairs) {
  NliTaskSettings settings;
  settings.file = real_data() / file;
  settings.threshold = threshold;
  const ByteTokenizer tokenizer;
  return NliTask("set", settings, model_to_read_for(tokenizer, 8, 8), {.scoring = {.two_way_pairs = two_way_pairs}});
}

TEST(LengthBaseline, GivesTheKnownMetricsOnRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  using enum setting::TwoWayPairs;
  for (const Known& known : {Known{"snli_1.0-subset/snli_1.0_test.jsonl", drop, 9824, 3368, 92.64, 93.02, 92.73, 39.33},
                             Known{"SICK/SICK.txt", drop, 4906, 794, 69.14, 71.91, 74.75, 33.87},
                             Known{"SICK/SICK.txt", keep, 4906, 1404, 60.26, 63.21, 64.81, 33.87},
                             Known{"SICK/SICK_test_annotated.txt", keep, 4927, 1414, 60.11, 63.08, 64.64, 34.29}}) {
    SCOPED_TRACE(known.file);
    const NliTask task = task_of(known.file, "0.5", known.two_way_pairs);
    const auto sentences = static_cast<std::int64_t>(task.sentences().sentences());
    const Measurement measurement = task.score(at::zeros({sentences, 2}), {});
    EXPECT_EQ(metric_of(measurement, "pairs"), known.pairs);
    EXPECT_EQ(metric_of(measurement, "directed_pairs"), known.directed_pairs);
    const auto percent = [&](const char* name) { return std::round(1e4 * metric_of(measurement, name)) / 100; };
    EXPECT_EQ(percent("direction_length.ties_wrong"), known.longer);
    EXPECT_EQ(percent("direction_length"), known.with_ties);
    EXPECT_EQ(percent("direction_words"), known.by_words);
    EXPECT_EQ(percent("auprc_length"), known.auprc);
    EXPECT_EQ(metric_of(measurement, "direction_sim"), 0) << "all sentences are alike: ties are wrong";
    EXPECT_EQ(metric_of(measurement, "direction_var"), 0);
  }
}

/// Eighty pairs, of which every ninth is unlabelled.
struct MadeUpPairs {
  NliPairs pairs;
  std::vector<float> cosine, other;

  MadeUpPairs() {
    for (std::size_t i = 0; i < 80; ++i) {
      const std::size_t premise = 8 + i * 7 % 41, hypothesis = 5 + i * 11 % 29;
      const double at = 0.01 * static_cast<double>(i * 37 % 97);
      const bool is_entailed = at - 0.4 * std::log(static_cast<double>(hypothesis) / static_cast<double>(premise)) +
                                   0.3 * static_cast<double>(i * 13 % 7) / 7 >
                               0.8;
      pairs.label.push_back(static_cast<std::uint8_t>(i % 9 == 8    ? NliLabel::none
                                                      : is_entailed ? NliLabel::entailment
                                                                    : NliLabel::contradiction));
      pairs.both_ways.push_back(0);
      pairs.premise_characters.push_back(static_cast<std::int64_t>(premise));
      pairs.hypothesis_characters.push_back(static_cast<std::int64_t>(hypothesis));
      pairs.premise_words.push_back(1);
      pairs.hypothesis_words.push_back(1);
      pairs.fitted.push_back(i % 5 < 2);
      cosine.push_back(static_cast<float>(at));
      other.push_back(static_cast<float>(0.5 + 0.005 * static_cast<double>(i * 29 % 83)));
    }
  }

  /// Returns the probability of each pair that is counted, by gradient descent on the other half in float64.
  std::vector<double> by_descent(const std::vector<std::size_t>& counted) const {
    std::vector<double> found(counted.size());
    for (const bool half : {false, true}) {
      std::vector<std::array<double, 2>> x;
      std::vector<double> y;
      std::array<double, 2> mean{}, deviation{};
      for (const std::size_t i : counted) {
        if (pairs.fitted[i] == half) continue;
        x.push_back(columns(i));
        y.push_back(is_entailed(i));
      }
      const auto n = static_cast<double>(y.size());
      for (std::size_t c = 0; c < 2; ++c) {
        for (const auto& row : x) mean[c] += row[c] / n;
        for (const auto& row : x) deviation[c] += (row[c] - mean[c]) * (row[c] - mean[c]) / n;
        deviation[c] = std::sqrt(deviation[c]);
      }
      std::array<double, 3> weight{};
      const auto probability = [&](const std::array<double, 2>& row) {
        const double score =
            weight[2] + weight[0] * (row[0] - mean[0]) / deviation[0] + weight[1] * (row[1] - mean[1]) / deviation[1];
        return 1 / (1 + std::exp(-score));
      };
      for (int step = 0; step < 5000; ++step) {
        std::array<double, 3> gradient{logistic_l2 * weight[0], logistic_l2 * weight[1], 0};
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double error = (probability(x[i]) - y[i]) / n;
          for (std::size_t c = 0; c < 2; ++c) gradient[c] += error * (x[i][c] - mean[c]) / deviation[c];
          gradient[2] += error;
        }
        for (std::size_t c = 0; c < 3; ++c) weight[c] -= 2 * gradient[c];
      }
      for (std::size_t k = 0; k < counted.size(); ++k)
        if (pairs.fitted[counted[k]] == half) found[k] = probability(columns(counted[k]));
    }
    return found;
  }

  std::vector<std::size_t> counted(bool with_unlabelled) const {
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < pairs.label.size(); ++i)
      if (with_unlabelled || pairs.label[i] != static_cast<std::uint8_t>(NliLabel::none)) indexes.push_back(i);
    return indexes;
  }
  std::vector<std::uint8_t> entailed(const std::vector<std::size_t>& indexes) const {
    std::vector<std::uint8_t> labels;
    for (const std::size_t i : indexes) labels.push_back(is_entailed(i));
    return labels;
  }

 private:
  std::uint8_t is_entailed(std::size_t i) const {
    return pairs.label[i] == static_cast<std::uint8_t>(NliLabel::entailment) ? 1 : 0;
  }
  std::array<double, 2> columns(std::size_t i) const {
    return {static_cast<double>(cosine[i]), std::log(static_cast<double>(pairs.hypothesis_characters[i]) /
                                                     static_cast<double>(pairs.premise_characters[i]))};
  }
};

/// No pair is measured by a regression that was fitted on it, or on another pair of its premise.
TEST(LengthBaseline, IsARegressionOnTheOtherHalf) {
  const MadeUpPairs made;
  for (const bool with_unlabelled : {true, false}) {
    const std::vector<std::size_t> counted = made.counted(with_unlabelled);
    const std::vector<std::uint8_t> entailed = made.entailed(counted);
    const std::vector<double> wanted = made.by_descent(counted),
                              found = length_baseline(made.pairs, made.cosine, counted, entailed);
    ASSERT_EQ(found.size(), counted.size());
    for (std::size_t i = 0; i < counted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-8) << counted[i];
    const NliScoring scoring{.no_gold_label =
                                 with_unlabelled ? setting::NoGoldLabel::non_entailment : setting::NoGoldLabel::drop};
    const auto metric = [&](const NliScores& scores, const NliScoring& by) {
      return find_metric(nli_metrics(made.pairs, scores, by, 0.5), "auprc_length")->value;
    };
    const NliScores gaussian{made.other, made.other, made.other, made.other, made.cosine},
        plain{made.cosine, {}, {}, {}, {}};
    const double area = area_under_precision_recall(wanted, entailed);
    EXPECT_NEAR(metric(gaussian, scoring), area, 1e-12);
    EXPECT_NEAR(metric(plain, scoring), area, 1e-12) << "the similarity is the cosine";
    NliScoring sweep = scoring;
    sweep.auprc = setting::Auprc::sweep;
    EXPECT_DOUBLE_EQ(metric(gaussian, sweep), area_under_precision_recall_sweep(wanted, entailed));
  }
}

TEST(LengthBaseline, IsNoNumberWhereAHalfHasOneClass) {
  for (const NliLabel label : {NliLabel::entailment, NliLabel::contradiction}) {
    MadeUpPairs made;
    for (std::size_t i = 0; i < made.pairs.label.size(); ++i)
      if (made.pairs.fitted[i]) made.pairs.label[i] = static_cast<std::uint8_t>(label);
    const std::vector<Metric> metrics = nli_metrics(made.pairs, {made.cosine, {}, {}, {}, {}}, {}, 0.5);
    EXPECT_TRUE(std::isnan(find_metric(metrics, "auprc_length")->value));
    EXPECT_FALSE(std::isnan(find_metric(metrics, "auprc")->value));
  }
}

TEST(LengthBaseline, SickTrialIsTheDevSet) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  EXPECT_EQ(task_of("SICK/SICK.txt", "own", setting::TwoWayPairs::keep).pairs().report.pairs, 495u);
}

TEST(LengthBaseline, CountsCodePoints) {
  EXPECT_EQ(character_length(""), 0u);
  EXPECT_EQ(character_length("caf\u00e9 \u4e2d \U0001F600"), 8u);
}

}  // namespace
}  // namespace gausscse
