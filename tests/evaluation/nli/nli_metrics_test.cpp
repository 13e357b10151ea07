#include "evaluation/nli/nli_metrics.hpp"

#include "config/tasks/nli_task_settings.hpp"
#include "evaluation/calibration/probability_metrics.hpp"
#include "evaluation/nli/nli_calibration.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

enum Labels : std::uint8_t { entailed, said_neutral, contradicted, unlabelled };

/// Twelve pairs. Entailments, by length of the premise: five longer (one of them entails both ways), one equal, two
/// shorter; lengths 11 and 10, 10 and 10, 10 and 11 are similar.
struct Sample {
  NliPairs pairs;
  NliScores scores;

  Sample() {
    pairs.label = {entailed, entailed, entailed,     entailed,     entailed,     entailed,
                   entailed, entailed, said_neutral, said_neutral, contradicted, unlabelled};
    pairs.both_ways = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    pairs.premise_characters = {40, 11, 30, 20, 50, 10, 10, 5, 7, 30, 9, 12};
    pairs.hypothesis_characters = {20, 10, 10, 10, 10, 10, 11, 20, 9, 8, 9, 1};
    pairs.premise_words = {4, 3, 2.5, 1, 7, 3, 2, 3, 1, 9, 9, 9};
    pairs.hypothesis_words = {3, 2, 2.5, 2, 1, 2, 2, 4, 2, 1, 1, 1};
    for (std::size_t i = 0; i < 12; ++i) pairs.fitted.push_back(i % 2 == 0);
    scores.hypothesis_premise = {.9F, .8F, .3F, .7F, .6F, .5F, .8F, .4F, .45F, .1F, .65F, .2F};
    scores.premise_hypothesis = {.5F, .9F, .2F, .7F, .1F, .4F, .9F, .1F, .45F, .9F, .1F, .3F};
    scores.log_std_premise = {3, 2, 1, 4, 5, 1, 0, 7, 3, 1, 2, 6};
    scores.log_std_hypothesis = {1, 3, 0, 2, 1, 2, 1, 3, 3, 0, 5, 2};
  }

  std::vector<Metric> metrics(std::optional<double> threshold, const NliScoring& scoring = {}) const {
    return nli_metrics(pairs, scores, scoring, threshold);
  }
};

double value_of(const std::vector<Metric>& metrics, const std::string& name) {
  const Metric* metric = find_metric(metrics, name);
  EXPECT_NE(metric, nullptr) << name;
  return metric ? metric->value : -1;
}

TEST(NliMetrics, BaselinesAreThoseOfTheCountedPairs) {
  const Sample sample;
  const std::vector<Metric> all = sample.metrics(0.5);
  EXPECT_EQ(value_of(all, "pairs"), 12);
  EXPECT_DOUBLE_EQ(value_of(all, "positives"), 8.0 / 12);
  EXPECT_DOUBLE_EQ(value_of(all, "majority"), 8.0 / 12);
  const std::vector<Metric> labelled = sample.metrics(0.5, {.no_gold_label = setting::NoGoldLabel::drop});
  EXPECT_EQ(value_of(labelled, "pairs"), 11);
  EXPECT_DOUBLE_EQ(value_of(labelled, "positives"), 8.0 / 11);
  Sample few;
  for (std::size_t i = 1; i < 8; ++i) few.pairs.label[i] = said_neutral;
  EXPECT_DOUBLE_EQ(value_of(few.metrics(0.5), "positives"), 1.0 / 12);
  EXPECT_DOUBLE_EQ(value_of(few.metrics(0.5), "majority"), 11.0 / 12);
}

/// A trial is refused that selects by another name.
TEST(NliMetrics, HaveTheNamesThatATrialMaySelectBy) {
  Sample sample;
  // A bin without pairs has no metric: these entailments are of the bins of 21, 41 and 81 characters that have none.
  EXPECT_EQ(find_metric(sample.metrics(0.5), "direction_sim.premise_shorter_by_21_or_more"), nullptr);
  sample.pairs.premise_characters[0] = 70;
  sample.pairs.premise_characters[2] = 110;
  sample.pairs.premise_characters[7] = 5;
  sample.pairs.hypothesis_characters[7] = 26;
  sample.pairs.premise_characters.push_back(10);
  sample.pairs.hypothesis_characters.push_back(25);
  sample.pairs.premise_characters.push_back(30);
  sample.pairs.hypothesis_characters.push_back(10);
  for (int i = 0; i < 2; ++i) {
    sample.pairs.label.push_back(entailed);
    sample.pairs.both_ways.push_back(0);
    sample.pairs.fitted.push_back(true);
    sample.pairs.premise_words.push_back(1);
    sample.pairs.hypothesis_words.push_back(1);
    for (std::vector<float>* scores : {&sample.scores.hypothesis_premise, &sample.scores.premise_hypothesis,
                                       &sample.scores.log_std_premise, &sample.scores.log_std_hypothesis})
      scores->push_back(.5F);
  }
  sample.pairs.cluster.assign(14, 0);
  const auto names_of_metrics = [&] {
    std::set<std::string> names;
    for (const Metric& metric : sample.metrics(0.5)) names.insert(metric.name);
    CalibrationNumbers numbers;
    numbers.logistic.scale.fill(1);
    numbers.isotonic = {{0}, {0.5}};
    const Calibration calibration(numbers);
    const std::vector<PairEvidence> evidence = evidence_of(sample.pairs, sample.scores, 2);
    const NliProbabilities probabilities(calibration, false, sample.pairs, evidence, {});
    for (const Metric& metric : probabilities.metrics(1)) names.insert(metric.name);
    return names;
  };
  const MetricNames names = NliTaskSettings{}.metric_names(true);
  EXPECT_EQ(names_of_metrics(), std::set<std::string>(names.whole.begin(), names.whole.end()));
  sample.pairs.group_key = "genre";
  sample.pairs.group.assign(14, "a");
  NliTaskSettings by_genre;
  by_genre.by = "genre";
  const MetricNames of_groups = by_genre.metric_names(true);
  for (const std::string& name : names_of_metrics()) EXPECT_TRUE(of_groups.may_have(name)) << name;
  EXPECT_TRUE(names_of_metrics().contains("direction_var.genre=a"));
}

/// Pairs of one premise are drawn together, so that the interval is another than of single pairs.
TEST(NliMetrics, IntervalsOfProbabilitiesDrawClusters) {
  Sample sample;
  CalibrationNumbers numbers;
  numbers.platt = {1, 0};
  numbers.logistic.scale.fill(1);
  numbers.isotonic = {{0}, {0.5}};
  const Calibration calibration(numbers);
  const std::vector<PairEvidence> evidence = evidence_of(sample.pairs, sample.scores, 2);
  std::vector<double> p;
  std::vector<std::uint8_t> is_entailed;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    p.push_back(calibration.probability(evidence[i]));
    is_entailed.push_back(sample.pairs.label[i] == entailed);
  }
  const auto wanted = [&](const ItemClusters& clusters) {
    return calibration_errors(std::vector<std::vector<double>>{p}, is_entailed, clusters, 1).at(0);
  };
  sample.pairs.cluster = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
  const auto metrics = NliProbabilities(calibration, false, sample.pairs, evidence, {}).metrics(1);
  EXPECT_EQ(value_of(metrics, "platt.ece_high"), wanted(ItemClusters(sample.pairs.cluster)).interval.high);
  EXPECT_NE(value_of(metrics, "platt.ece_high"), wanted(ItemClusters(12)).interval.high);
}

TEST(NliMetrics, AccuracyIsAtTheGivenThresholdAndBesideItAtTheSetsOwn) {
  const Sample sample;
  const std::vector<Metric> metrics = sample.metrics(0.75);
  EXPECT_EQ(value_of(metrics, "threshold"), 0.75);
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy"), 7.0 / 12) << "three entailments and all four others";
  // At 0.3 all entailments, and 0.1 and 0.2 of the others.
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy_own"), 10.0 / 12);
  const std::vector<Metric> own = sample.metrics(std::nullopt);
  EXPECT_DOUBLE_EQ(value_of(own, "accuracy"), 10.0 / 12);
  EXPECT_DOUBLE_EQ(value_of(own, "accuracy_own"), 10.0 / 12);
  EXPECT_EQ(value_of(own, "threshold"), 0.201) << "the first that calls 0.2 no entailment";
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy.entailment"), 3.0 / 8);
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy.neutral"), 1);
  EXPECT_DOUBLE_EQ(value_of(own, "accuracy.entailment"), 1);
  EXPECT_DOUBLE_EQ(value_of(own, "accuracy.neutral"), 1.0 / 2);
  EXPECT_DOUBLE_EQ(value_of(own, "accuracy.contradiction"), 0);
  Sample without;
  without.pairs.label[10] = said_neutral;
  EXPECT_EQ(find_metric(without.metrics(0.75), "accuracy.contradiction"), nullptr);
}

TEST(NliMetrics, DirectionsComeByTheLengthOfThePremise) {
  const Sample sample;
  const std::vector<Metric> kept = sample.metrics(0.5);
  EXPECT_EQ(value_of(kept, "directed_pairs"), 8);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_length"), 5.5 / 8) << "half of the pair of equal lengths";
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_length.ties_wrong"), 5.0 / 8);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_words"), (4 + 0.5 * 2) / 8) << "four heavier premises, two ties";
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_sim"), 5.0 / 8);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_var"), 5.0 / 8);
  EXPECT_EQ(value_of(kept, "directed_pairs.premise_longer"), 5);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_sim.premise_longer"), 3.0 / 5) << "a tie is wrong";
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_var.premise_longer"), 4.0 / 5);
  EXPECT_EQ(value_of(kept, "directed_pairs.equal_length"), 1);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_sim.equal_length"), 1);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_var.equal_length"), 0);
  EXPECT_EQ(value_of(kept, "directed_pairs.premise_shorter"), 2);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_sim.premise_shorter"), 1.0 / 2);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_var.premise_shorter"), 1.0 / 2);
  EXPECT_EQ(value_of(kept, "directed_pairs.similar_length"), 3);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_sim.similar_length"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_var.similar_length"), 0);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_length.similar_length"), 1.5 / 3);
  EXPECT_DOUBLE_EQ(value_of(kept, "direction_words.similar_length"), 2.5 / 3) << "two heavier, one as heavy";
  const std::vector<Metric> dropped = sample.metrics(0.5, {.two_way_pairs = setting::TwoWayPairs::drop});
  EXPECT_EQ(value_of(dropped, "directed_pairs"), 7);
  EXPECT_EQ(value_of(dropped, "directed_pairs.premise_longer"), 4);
  EXPECT_DOUBLE_EQ(value_of(dropped, "direction_sim.premise_longer"), 2.0 / 4);
}

/// Limits of bins, each against a pair next to it, by the definition of the bin in docs/tasks.md.
TEST(NliMetrics, DirectionsComeByBinsOfTheDifferenceOfLengths) {
  const struct {
    const char* bin;
    std::vector<std::int64_t> differences;  ///< premise minus hypothesis
  } bins[] = {{"premise_shorter_by_21_or_more", {-99, -21}}, {"premise_shorter_by_11_to_20", {-20, -15, -11}},
              {"premise_shorter_by_1_to_10", {-10, -1}},     {"equal_length", {0, 0}},
              {"premise_longer_by_1_to_10", {1, 10}},        {"premise_longer_by_11_to_20", {11, 20}},
              {"premise_longer_by_21_to_40", {21, 40, 30}},  {"premise_longer_by_41_to_80", {41, 80}},
              {"premise_longer_by_81_or_more", {81, 400}}};
  Sample sample;
  sample.pairs = {};
  sample.scores = {};
  const auto add = [&](std::uint8_t label, std::int64_t difference, bool right_by_sim, bool right_by_var) {
    sample.pairs.label.push_back(label);
    sample.pairs.both_ways.push_back(0);
    sample.pairs.fitted.push_back(true);
    sample.pairs.premise_characters.push_back(100 + difference);
    sample.pairs.hypothesis_characters.push_back(100);
    sample.pairs.premise_words.push_back(1);
    sample.pairs.hypothesis_words.push_back(1);
    sample.scores.hypothesis_premise.push_back(right_by_sim ? .75F : .25F);
    sample.scores.premise_hypothesis.push_back(.5F);
    sample.scores.log_std_premise.push_back(right_by_var ? 3 : 1);
    sample.scores.log_std_hypothesis.push_back(2);
  };
  // By similarity the first of a bin is right, by variance all others; neutral pairs count in no bin.
  for (const auto& bin : bins)
    for (std::size_t i = 0; i < bin.differences.size(); ++i) {
      add(entailed, bin.differences[i], i == 0, i != 0);
      add(said_neutral, bin.differences[i], true, true);
    }
  const std::vector<Metric> metrics = sample.metrics(0.5);
  for (const auto& bin : bins) {
    const auto pairs = static_cast<double>(bin.differences.size());
    EXPECT_EQ(value_of(metrics, concat("directed_pairs.", bin.bin)), pairs) << bin.bin;
    EXPECT_DOUBLE_EQ(value_of(metrics, concat("direction_sim.", bin.bin)), 1 / pairs) << bin.bin;
    EXPECT_DOUBLE_EQ(value_of(metrics, concat("direction_var.", bin.bin)), 1 - 1 / pairs) << bin.bin;
  }
  EXPECT_EQ(value_of(metrics, "directed_pairs"), 20);
  EXPECT_EQ(find_metric(metrics, "directed_pairs.premise_shorter_by_1_to_10")->unit, Unit::count);
}

/// Ranks by hand would be as long as the product's code: all pairs are compared instead, as Kendall would, and values
/// are chosen so that no two are equal.
TEST(NliMetrics, VarianceIsComparedWithLengthOverAllPairs) {
  Sample sample;
  const std::vector<double> log_std = {-3, 8, 1, -7, 5, -1, 0, 4, -2, 6, 2, -5};
  const std::vector<int> length = {-1, 3, 2, -6, -4, 5, 1, 0, -3, 4, -2, -5};
  for (std::size_t i = 0; i < log_std.size(); ++i) {
    sample.scores.log_std_premise[i] = static_cast<float>(log_std[i] + static_cast<double>(i));
    sample.scores.log_std_hypothesis[i] = static_cast<float>(i);
    sample.pairs.hypothesis_characters[i] = 10 + static_cast<std::int64_t>(i);
    sample.pairs.premise_characters[i] = sample.pairs.hypothesis_characters[i] + length[i];
  }
  double squares = 0;
  for (std::size_t i = 0; i < log_std.size(); ++i) {
    int difference = 0;
    for (std::size_t j = 0; j < log_std.size(); ++j) difference += (log_std[j] < log_std[i]) - (length[j] < length[i]);
    squares += difference * difference;
  }
  EXPECT_NEAR(value_of(sample.metrics(0.5), "direction_var.length_correlation"), 1 - 6 * squares / (12.0 * 143), 1e-12);
}

TEST(NliMetrics, WithoutDirectionThereAreNoStrata) {
  Sample sample;
  sample.scores.premise_hypothesis.clear();
  sample.scores.log_std_premise.clear();
  sample.scores.log_std_hypothesis.clear();
  const std::vector<Metric> metrics = sample.metrics(0.5);
  EXPECT_TRUE(std::isnan(value_of(metrics, "direction_sim")));
  EXPECT_TRUE(std::isnan(value_of(metrics, "direction_var")));
  EXPECT_DOUBLE_EQ(value_of(metrics, "direction_length"), 5.5 / 8);
  EXPECT_EQ(find_metric(metrics, "direction_sim.premise_longer"), nullptr);
  EXPECT_EQ(find_metric(metrics, "direction_var.length_correlation"), nullptr);
}

TEST(NliMetrics, EachGroupHasItsOwn) {
  Sample sample;
  sample.pairs.group_key = "genre";
  sample.pairs.group = {"b", "a", "b", "a", "b", "b", "b", "b", "b", "a", "c", "d"};
  const std::vector<Metric> metrics = sample.metrics(0.5, {.no_gold_label = setting::NoGoldLabel::drop});
  EXPECT_EQ(value_of(metrics, "pairs.genre=a"), 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy.genre=a"), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics, "majority.genre=a"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "positives.genre=a"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "auprc.genre=a"), 1);
  EXPECT_EQ(value_of(metrics, "directed_pairs.genre=a"), 2);
  EXPECT_DOUBLE_EQ(value_of(metrics, "direction_sim.genre=a"), 0);
  EXPECT_DOUBLE_EQ(value_of(metrics, "direction_var.genre=a"), 1.0 / 2);
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy.genre=b"), 5.0 / 7) << "at 0.5, not at the group's own threshold";
  EXPECT_DOUBLE_EQ(value_of(metrics, "accuracy.genre=c"), 0);
  EXPECT_TRUE(std::isnan(value_of(metrics, "auprc.genre=c"))) << "there is no entailment";
  EXPECT_TRUE(std::isnan(value_of(metrics, "direction_sim.genre=c")));
  EXPECT_EQ(find_metric(metrics, "pairs.genre=d"), nullptr) << "its one pair has no label";
  sample.pairs.group[1] = "b:a:a";
  const std::vector<Metric> listed = sample.metrics(0.5, {.no_gold_label = setting::NoGoldLabel::drop});
  EXPECT_EQ(value_of(listed, "pairs.genre=a"), 3);
  EXPECT_EQ(value_of(listed, "pairs.genre=b"), 8);
}

}  // namespace
}  // namespace gausscse
