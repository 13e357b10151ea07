#include "experiments/evaluation/nli_task.hpp"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::ByteTokenizer;
using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

constexpr std::size_t dimension = 2;

struct Gaussian {
  std::array<double, dimension> mean, log_var;
};

struct Pair {
  std::string premise, hypothesis;
  NliLabel label;
  Gaussian of_premise, of_hypothesis;
};

constexpr NliLabel entailment = NliLabel::entailment, neutral = NliLabel::neutral, contra = NliLabel::contradiction;

/// The first five entail in one direction: by similarity four are told, by variance three, by the means one, by length
/// three (one is a tie). The sixth entails both ways, and no figure tells it. The seventh is nearly as similar as the
/// fourth, so that a threshold at every score and one at every 0.001 differ.
const std::vector<Pair> pairs = {
    {"a longer one", "a short", entailment, {{0.6, 0.2}, {1.1, 1.4}}, {{-0.6, -0.6}, {-1.1, -1.1}}},
    {"b longer one", "b short", entailment, {{0.2, -0.6}, {1.3, -0.8}}, {{-0.4, 0.8}, {0.0, -0.5}}},
    {"c longer one", "c short", entailment, {{-0.8, -0.3}, {-1.4, -0.7}}, {{-0.4, 0.2}, {-1.0, -1.1}}},
    {"d is equal", "d as equal", entailment, {{-0.2, -0.2}, {0.2, 1.2}}, {{0.6, 0.9}, {-0.6, -1.0}}},
    {"e short", "e longer one", entailment, {{-0.6, -0.4}, {0.5, -1.1}}, {{0.7, 0.3}, {-0.1, 1.2}}},
    {"f short", "f longer one", entailment, {{-0.7, -0.2}, {-0.3, -1.2}}, {{0.1, 0.5}, {-1.0, 0.1}}},
    {"g g", "g", neutral, {{-0.2, -0.2}, {0.2, 1.2}}, {{0.6, 0.901}, {-0.6, -1.0}}},
    {"h h", "h", contra, {{0.5, 0.6}, {-0.9, 1.3}}, {{0.8, 0.9}, {0.8, -1.1}}},
    {"i i", "i", neutral, {{-0.7, 1.0}, {1.3, -0.2}}, {{0.0, -0.4}, {0.1, -0.3}}},
    {"j j", "j", contra, {{-0.1, 0.8}, {0.8, -1.5}}, {{0.2, -0.2}, {-0.1, 0.8}}}};
constexpr std::size_t two_way = 5, entailments = 6;

/// The formulas of model/objective/similarity.hpp, literally.
double similarity_of(const Gaussian& p, const Gaussian& q, Similarity kind) {
  double sum = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    const double std_p = std::exp(p.log_var[d] / 2), std_q = std::exp(q.log_var[d] / 2);
    const double kl = 0.5 * (std::pow(std_p / std_q, 2) + std::pow((p.mean[d] - q.mean[d]) / std_q, 2) - 1 -
                             2 * std::log(std_p / std_q));
    sum += kind == Similarity::joint ? kl : 1 / (1 + kl) / dimension;
  }
  return kind == Similarity::joint ? 1 / (1 + sum) : sum;
}

std::vector<double> similarities(const std::vector<Pair>& some, Similarity kind) {
  std::vector<double> all;
  for (const Pair& pair : some) all.push_back(similarity_of(pair.of_hypothesis, pair.of_premise, kind));
  return all;
}

double accuracy_of(const std::vector<Pair>& some, const std::vector<double>& similarity, double threshold) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < some.size(); ++i) right += (similarity[i] >= threshold) == (some[i].label == entailment);
  return static_cast<double>(right) / static_cast<double>(some.size());
}

/// The first of 0, 0.001, ..., 1 with the best accuracy.
double threshold_of(const std::vector<Pair>& some, const std::vector<double>& similarity) {
  double best = 0;
  for (int k = 1; k <= 1000; ++k)
    if (accuracy_of(some, similarity, k / 1000.0) > accuracy_of(some, similarity, best)) best = k / 1000.0;
  return best;
}

/// Trapezoids between the points at `thresholds`, from recall 0 and precision 1.
double area_of(const std::vector<Pair>& some, const std::vector<double>& similarity, std::vector<double> thresholds) {
  std::sort(thresholds.rbegin(), thresholds.rend());
  const auto positives = static_cast<double>(
      std::count_if(some.begin(), some.end(), [](const Pair& pair) { return pair.label == entailment; }));
  double area = 0, recall_before = 0, precision_before = 1;
  for (const double threshold : thresholds) {
    double said = 0, right = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (similarity[i] < threshold) continue;
      ++said;
      right += some[i].label == entailment;
    }
    if (said == 0) continue;
    area += (right / positives - recall_before) * (right / said + precision_before) / 2;
    recall_before = right / positives;
    precision_before = right / said;
  }
  return area;
}

std::string sick_row(const Pair& pair, bool both_ways, const char* set) {
  const char* label = pair.label == entailment ? "ENTAILMENT" : pair.label == neutral ? "NEUTRAL" : "CONTRADICTION";
  return concat("7\t", pair.premise, "\t", pair.hypothesis, "\t", label, "\t4.0\t",
                pair.label == entailment ? "A_entails_B" : "A_neutral_B", "\t",
                both_ways ? "B_entails_A" : "B_neutral_A", "\tx\t", set, "\n");
}

/// TEST rows: `pairs`. TRIAL rows: the last five of them with other labels. Two rows of TRAIN among them.
std::vector<Pair> trial_pairs() {
  std::vector<Pair> some(pairs.end() - 5, pairs.end());
  for (Pair& pair : some) pair.label = pair.label == entailment ? neutral : entailment;
  some[1].label = contra;
  return some;
}

std::string sick_full() {
  std::string text =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tx\t"
      "SemEval_set\n";
  const Pair of_train{"train one", "train two", entailment, {}, {}};
  text += sick_row(of_train, false, "TRAIN");
  for (const Pair& pair : trial_pairs()) text += sick_row(pair, false, "TRIAL");
  for (std::size_t i = 0; i < pairs.size(); ++i) text += sick_row(pairs[i], i == two_way, "TEST");
  return text + sick_row(of_train, true, "TRAIN");
}

class NliTaskTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    write_bytes(folder_ / "corpus", text);
    return folder_ / "corpus";
  }

  /// `threshold` as in a trial.
  NliTask task(const std::string& text, const std::string& threshold, const NliScoring& scoring = {},
               Similarity similarity = Similarity::per_dimension) const {
    NliTaskSettings settings;
    settings.file = file(text);
    settings.threshold = threshold;
    return NliTask(
        "sick", settings,
        {.tokenizer = tokenizer_, .positions = 64, .max_tokens = 64, .similarity = similarity, .scoring = scoring});
  }

  static double figure(const Measurement& measurement, const char* name) { return figure_of(measurement, name); }

  template <typename Value>
  static std::vector<Value> column(const Measurement& measurement, const std::string& name) {
    for (const Column& each : measurement.columns)
      if (each.name == name) return std::get<std::vector<Value>>(each.values);
    ADD_FAILURE() << "no column " << name;
    return {};
  }

  /// The sentence that a store has under a number, from its tokens.
  static std::string sentence(const TokenStore& store, std::uint32_t number) {
    std::vector<std::uint32_t> ids;
    store.append_tokens(number, ids);
    std::string text;
    for (std::size_t i = 1; i + 1 < ids.size(); ++i) text += static_cast<char>(ids[i] - 3);
    return text;
  }

  /// What an encoder would give for the task's sentences.
  static at::Tensor embeddings(const NliTask& task, const std::vector<Pair>& known) {
    std::map<std::string, Gaussian> gaussians;
    for (const Pair& pair : known) {
      gaussians[pair.premise] = pair.of_premise;
      gaussians[pair.hypothesis] = pair.of_hypothesis;
    }
    const auto count = static_cast<std::int64_t>(task.sentences().sentences());
    at::Tensor rows = at::empty({count, 2 * dimension}, at::kFloat);
    auto* value = rows.mutable_data_ptr<float>();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Gaussian& gaussian = gaussians.at(sentence(task.sentences(), i));
      for (const double mean : gaussian.mean) *value++ = static_cast<float>(mean);
      for (const double log_var : gaussian.log_var) *value++ = static_cast<float>(log_var);
    }
    return rows;
  }

  static void expect_near(const std::vector<float>& values, const std::vector<double>& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(static_cast<double>(values[i]), expected[i], 1e-6) << i;
  }

  TemporaryFolder folder_;
  ByteTokenizer tokenizer_;
};

TEST_F(NliTaskTest, ScoresEveryPairOfSickTestByValue) {
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
    const NliTask sick = task(sick_full(), "0.62", {}, kind);
    EXPECT_EQ(sick.sentences().sentences(), 2 * pairs.size());
    const Measurement result = sick.score(embeddings(sick, pairs), {});
    EXPECT_EQ(result.task, "sick");
    EXPECT_EQ(result.kind, "nli");
    std::vector<double> backward, log_std_premise, log_std_hypothesis;
    for (const Pair& pair : pairs) {
      backward.push_back(similarity_of(pair.of_premise, pair.of_hypothesis, kind));
      log_std_premise.push_back((pair.of_premise.log_var[0] + pair.of_premise.log_var[1]) / 2);
      log_std_hypothesis.push_back((pair.of_hypothesis.log_var[0] + pair.of_hypothesis.log_var[1]) / 2);
    }
    expect_near(column<float>(result, "sim_hypothesis_premise"), similarities(pairs, kind));
    expect_near(column<float>(result, "sim_premise_hypothesis"), backward);
    expect_near(column<float>(result, "log_std_premise"), log_std_premise);
    expect_near(column<float>(result, "log_std_hypothesis"), log_std_hypothesis);
    double told = 0;
    for (std::size_t i = 0; i < entailments; ++i)
      told += similarity_of(pairs[i].of_hypothesis, pairs[i].of_premise, kind) > backward[i];
    EXPECT_DOUBLE_EQ(figure(result, "direction_sim"), told / static_cast<double>(entailments));
    EXPECT_DOUBLE_EQ(figure(result, "direction_var"), 3.0 / static_cast<double>(entailments));
    EXPECT_EQ(column<std::uint8_t>(result, "label"), (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 1, 2, 1, 2}));
    EXPECT_EQ(column<std::uint8_t>(result, "entails_both_ways"),
              (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  }
}

TEST_F(NliTaskTest, MeasuresSickTestAtTheThresholdThatIsGiven) {
  const std::vector<double> similarity = similarities(pairs, Similarity::per_dimension);
  std::vector<double> steps;
  for (int k = 0; k <= 1000; ++k) steps.push_back(k / 1000.0);
  ASSERT_GT(std::abs(area_of(pairs, similarity, steps) - area_of(pairs, similarity, similarity)), 1e-3);
  for (const auto two_way_pairs : {setting::TwoWayPairs::keep, setting::TwoWayPairs::drop}) {
    for (const auto auprc : {setting::Auprc::trapezoid, setting::Auprc::sweep}) {
      const NliTask sick = task(sick_full(), "0.62", {.two_way_pairs = two_way_pairs, .auprc = auprc});
      const Measurement result = sick.score(embeddings(sick, pairs), {});
      EXPECT_EQ(figure(result, "threshold"), 0.62);
      EXPECT_EQ(figure(result, "pairs"), 10);
      EXPECT_DOUBLE_EQ(figure(result, "accuracy"), accuracy_of(pairs, similarity, 0.62));
      EXPECT_LT(figure(result, "accuracy"), accuracy_of(pairs, similarity, threshold_of(pairs, similarity)));
      EXPECT_NEAR(figure(result, "auprc"),
                  area_of(pairs, similarity, auprc == setting::Auprc::sweep ? steps : similarity), 1e-12);
      const bool drop = two_way_pairs == setting::TwoWayPairs::drop;
      EXPECT_EQ(figure(result, "directed_pairs"), drop ? 5 : 6);
      const double one = drop ? 1.0 / 5 : 1.0 / 6;
      EXPECT_DOUBLE_EQ(figure(result, "direction_sim"), 4 * one);
      EXPECT_DOUBLE_EQ(figure(result, "direction_var"), 3 * one);
      EXPECT_DOUBLE_EQ(figure(result, "direction_length"), 3 * one);
    }
  }
}

/// All four values of a row are a vector's.
TEST_F(NliTaskTest, ByCosineThereIsNoDirection) {
  const NliTask sick = task(sick_full(), "0.1", {}, Similarity::cosine);
  const Measurement result = sick.score(embeddings(sick, pairs), {});
  std::vector<double> cosines;
  for (const Pair& pair : pairs) {
    double product = 0, of_premise = 0, of_hypothesis = 0;
    for (const bool mean : {true, false})
      for (std::size_t d = 0; d < dimension; ++d) {
        const double p = mean ? pair.of_premise.mean[d] : pair.of_premise.log_var[d];
        const double h = mean ? pair.of_hypothesis.mean[d] : pair.of_hypothesis.log_var[d];
        product += p * h;
        of_premise += p * p;
        of_hypothesis += h * h;
      }
    cosines.push_back(product / std::sqrt(of_premise * of_hypothesis));
  }
  expect_near(column<float>(result, "sim_hypothesis_premise"), cosines);
  ASSERT_EQ(result.columns.size(), 3u);
  EXPECT_EQ(result.columns[1].name, "label");
  EXPECT_DOUBLE_EQ(figure(result, "accuracy"), accuracy_of(pairs, cosines, 0.1));
  EXPECT_NEAR(figure(result, "auprc"), area_of(pairs, cosines, cosines), 1e-12);
  EXPECT_EQ(figure(result, "directed_pairs"), 6);
  EXPECT_TRUE(std::isnan(figure(result, "direction_sim")));
  EXPECT_TRUE(std::isnan(figure(result, "direction_var")));
  EXPECT_DOUBLE_EQ(figure(result, "direction_length"), 3.0 / 6) << "which asks no model";
}

TEST_F(NliTaskTest, ASetOfItsOwnThresholdTakesTheTrialRowsOfSick) {
  const NliTask dev = task(sick_full(), "own");
  const std::vector<Pair> some = trial_pairs();
  const std::vector<double> similarity = similarities(some, Similarity::per_dimension);
  const double threshold = threshold_of(some, similarity);
  ASSERT_NE(threshold, 0.62);
  const Measurement result = dev.score(embeddings(dev, pairs), {});
  EXPECT_EQ(figure(result, "pairs"), 5);
  EXPECT_EQ(column<std::uint8_t>(result, "label").size(), 5u);
  EXPECT_EQ(figure(result, "threshold"), threshold);
  EXPECT_DOUBLE_EQ(figure(result, "accuracy"), accuracy_of(some, similarity, threshold));
}

TEST_F(NliTaskTest, TakesTheThresholdOfTheTaskThatItNames) {
  const NliTask sick = task(sick_full(), "other");
  const Measurement of_none{"dev", "nli", true, {{"threshold", 0.1, Unit::number}}, {}, ""};
  const Measurement of_other{"other", "nli", true, {{"threshold", 0.62, Unit::number}}, {}, ""};
  const Measurement result = sick.score(embeddings(sick, pairs), {of_none, of_other});
  EXPECT_EQ(figure(result, "threshold"), 0.62);
  EXPECT_DOUBLE_EQ(figure(result, "accuracy"),
                   accuracy_of(pairs, similarities(pairs, Similarity::per_dimension), 0.62));
  EXPECT_TRUE(says(refusal_of([&] { sick.score(embeddings(sick, pairs), {of_none}); }),
                   "the task \"sick\" takes its threshold from \"other\", which was not measured"));
}

TEST_F(NliTaskTest, ATasksOwnScoringComesBeforeTheModels) {
  NliTaskSettings settings;
  settings.file = file(sick_full());
  settings.threshold = "0.62";
  settings.two_way_pairs = setting::TwoWayPairs::keep;
  settings.rows = setting::SickRows::dev;
  const TaskModel model{.tokenizer = tokenizer_,
                        .positions = 64,
                        .max_tokens = 64,
                        .scoring = {.two_way_pairs = setting::TwoWayPairs::drop}};
  const NliTask of_dev("sick", settings, model);
  EXPECT_EQ(figure(of_dev.score(embeddings(of_dev, pairs), {}), "pairs"), 5);
  settings.rows = setting::SickRows::test;
  const NliTask keeping("sick", settings, model);
  EXPECT_EQ(figure(keeping.score(embeddings(keeping, pairs), {}), "directed_pairs"), 6);
  settings.two_way_pairs.reset();
  const NliTask dropping("sick", settings, model);
  EXPECT_EQ(figure(dropping.score(embeddings(dropping, pairs), {}), "directed_pairs"), 5);
}

TEST_F(NliTaskTest, ATasksOwnAreaAndGoldLabelsComeBeforeTheModels) {
  NliTaskSettings settings;
  settings.file = file(sick_full());
  settings.threshold = "0.62";
  const auto measured = [&](const NliScoring& of_model) {
    const NliTask sick("sick", settings,
                       {.tokenizer = tokenizer_, .positions = 64, .max_tokens = 64, .threads = 1, .scoring = of_model});
    return sick.score(embeddings(sick, pairs), {});
  };
  const double by_trapezoids = figure(measured({}), "auprc"),
               by_sweep = figure(measured({.auprc = setting::Auprc::sweep}), "auprc");
  ASSERT_GT(std::abs(by_trapezoids - by_sweep), 1e-3);
  settings.auprc = setting::Auprc::sweep;
  EXPECT_EQ(figure(measured({}), "auprc"), by_sweep);
  settings.auprc = setting::Auprc::trapezoid;
  EXPECT_EQ(figure(measured({.auprc = setting::Auprc::sweep}), "auprc"), by_trapezoids);

  const char* neutral_and_none =
      "{\"gold_label\": \"entailment\", \"sentence1\": \"a longer one\", \"sentence2\": \"a short\"}\n"
      "{\"gold_label\": \"-\", \"sentence1\": \"g g\", \"sentence2\": \"g\"}\n";
  settings.file = file(neutral_and_none);
  settings.no_gold_label = setting::NoGoldLabel::drop;
  EXPECT_EQ(figure(measured({}), "pairs"), 1);
  settings.no_gold_label = setting::NoGoldLabel::non_entailment;
  EXPECT_EQ(figure(measured({.no_gold_label = setting::NoGoldLabel::drop}), "pairs"), 2);
}

TEST_F(NliTaskTest, PairsWithoutGoldLabelAreNoEntailmentOrLeftOut) {
  std::string text;
  std::vector<Pair> with_all = pairs;
  with_all[3].label = NliLabel::none;
  const std::map<NliLabel, const char*> names = {
      {entailment, "entailment"}, {neutral, "neutral"}, {contra, "contradiction"}, {NliLabel::none, "-"}};
  for (const Pair& pair : with_all)
    text += concat(R"({"gold_label": ")", names.at(pair.label), R"(", "sentence1": ")", pair.premise,
                   R"(", "sentence2": ")", pair.hypothesis, "\"}\n");
  std::vector<Pair> labelled = with_all;
  labelled.erase(labelled.begin() + 3);
  for (const auto no_gold_label : {setting::NoGoldLabel::non_entailment, setting::NoGoldLabel::drop}) {
    const bool drop = no_gold_label == setting::NoGoldLabel::drop;
    const std::vector<Pair>& counted = drop ? labelled : with_all;
    const std::vector<double> similarity = similarities(counted, Similarity::per_dimension);
    const NliTask snli = task(text, "0.62", {.no_gold_label = no_gold_label});
    EXPECT_EQ(snli.report().without_gold_label, 1u);
    const Measurement result = snli.score(embeddings(snli, pairs), {});
    EXPECT_EQ(column<std::uint8_t>(result, "label").size(), 10u);
    EXPECT_EQ(figure(result, "pairs"), drop ? 9 : 10);
    EXPECT_DOUBLE_EQ(figure(result, "accuracy"), accuracy_of(counted, similarity, 0.62));
    EXPECT_NEAR(figure(result, "auprc"), area_of(counted, similarity, similarity), 1e-12);
    // The pair is none of the direction task either way, and SNLI tells no two-way pairs.
    EXPECT_EQ(figure(result, "directed_pairs"), static_cast<double>(entailments) - 1);
    EXPECT_DOUBLE_EQ(figure(result, "direction_sim"), 3.0 / 5);
  }
}

TEST_F(NliTaskTest, TwoWayPairsCannotBeDroppedFromAFileThatDoesNotTellThem) {
  std::string text = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n";
  for (const Pair& pair : pairs)
    text += concat("1\t", pair.premise, "\t", pair.hypothesis, "\t4.0\t",
                   pair.label == entailment ? "ENTAILMENT"
                   : pair.label == neutral  ? "NEUTRAL"
                                            : "CONTRADICTION",
                   "\n");
  const NliScoring drop{.two_way_pairs = setting::TwoWayPairs::drop};
  for (const char* threshold : {"own", "0.5"}) {
    const std::string refusal = refusal_of([&] { task(text, threshold, drop); });
    for (const char* words : {"corpus: two_way_pairs is drop", "entailment_BA", "SICK.txt", "two_way_pairs to keep"})
      EXPECT_TRUE(says(refusal, words));
    // Such a file is one set, whatever it serves as.
    const NliTask kept = task(text, threshold);
    EXPECT_EQ(figure(kept.score(embeddings(kept, pairs), {}), "directed_pairs"), 6);
  }
}

TEST_F(NliTaskTest, BlocksOfPairsJoinInTheirOrder) {
  std::string text = sick_full();
  constexpr std::size_t rounds = 900;
  for (std::size_t i = 1; i < rounds; ++i)
    for (const Pair& pair : pairs) text += sick_row(pair, false, "TEST");
  const NliTask many = task(text, "0.5");
  EXPECT_EQ(many.sentences().sentences(), 2 * pairs.size());
  const Measurement scores = many.score(embeddings(many, pairs), {});
  std::vector<double> expected;
  for (std::size_t i = 0; i < rounds; ++i)
    for (const double similarity : similarities(pairs, Similarity::per_dimension)) expected.push_back(similarity);
  expect_near(column<float>(scores, "sim_hypothesis_premise"), expected);
  EXPECT_EQ(column<std::uint8_t>(scores, "label").size(), expected.size());
}

TEST_F(NliTaskTest, WithoutAnEntailmentThereIsNothingToMeasure) {
  const std::string text = R"({"gold_label": "neutral", "sentence1": "a", "sentence2": "b"})";
  EXPECT_TRUE(says(refusal_of([&] { task(text, "0.5"); }), "none of its 1 pairs is an entailment"));
}

}  // namespace
}  // namespace gausscse
