#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using namespace nli_task;  // the pairs and their metrics

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
    double correct = 0;
    for (std::size_t i = 0; i < entailments; ++i)
      correct += similarity_of(pairs[i].of_hypothesis, pairs[i].of_premise, kind) > backward[i];
    EXPECT_DOUBLE_EQ(metric(result, "direction_sim"), correct / static_cast<double>(entailments));
    EXPECT_DOUBLE_EQ(metric(result, "direction_var"), 3.0 / static_cast<double>(entailments));
    EXPECT_EQ(column<std::uint8_t>(result, "label"), (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 1, 2, 1, 2}));
    EXPECT_EQ(column<std::uint8_t>(result, "entails_both_ways"),
              (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(column<std::int64_t>(result, "premise_characters"),
              (std::vector<std::int64_t>{12, 12, 12, 10, 7, 7, 3, 3, 3, 3}));
    EXPECT_EQ(column<std::int64_t>(result, "hypothesis_characters"),
              (std::vector<std::int64_t>{7, 7, 7, 10, 12, 12, 1, 1, 1, 1}));
    for (const Column& each : result.columns) EXPECT_NE(each.name, "group");
  }
}

TEST_F(NliTaskTest, ReportsDirectionByVarianceAloneWhereTheSimilarityHasNone) {
  const NliTask sick = task(sick_full(), "0.62", {}, Similarity::wasserstein);
  const Measurement result = sick.score(embeddings(sick, pairs), {});
  std::vector<double> expected;
  for (const Pair& pair : pairs) {
    double distance = 0;
    for (std::size_t d = 0; d < dimension; ++d)
      distance += std::pow(pair.of_hypothesis.mean[d] - pair.of_premise.mean[d], 2) +
                  std::pow(std::exp(pair.of_hypothesis.log_var[d] / 2) - std::exp(pair.of_premise.log_var[d] / 2), 2);
    expected.push_back(1 / (1 + distance));
  }
  expect_near(column<float>(result, "sim_hypothesis_premise"), expected);
  for (const Column& each : result.columns) EXPECT_NE(each.name, "sim_premise_hypothesis");
  EXPECT_TRUE(std::isnan(metric(result, "direction_sim")));
  EXPECT_DOUBLE_EQ(metric(result, "direction_var"), 3.0 / static_cast<double>(entailments));
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
      EXPECT_EQ(metric(result, "threshold"), 0.62);
      EXPECT_EQ(metric(result, "pairs"), 10);
      EXPECT_DOUBLE_EQ(metric(result, "accuracy"), accuracy_of(pairs, similarity, 0.62));
      EXPECT_LT(metric(result, "accuracy"), accuracy_of(pairs, similarity, threshold_of(pairs, similarity)));
      EXPECT_NEAR(metric(result, "auprc"),
                  area_of(pairs, similarity, auprc == setting::Auprc::sweep ? steps : similarity), 1e-12);
      const bool drop = two_way_pairs == setting::TwoWayPairs::drop;
      EXPECT_EQ(metric(result, "directed_pairs"), drop ? 5 : 6);
      const double one = drop ? 1.0 / 5 : 1.0 / 6;
      EXPECT_DOUBLE_EQ(metric(result, "direction_sim"), 4 * one);
      EXPECT_DOUBLE_EQ(metric(result, "direction_var"), 3 * one);
      EXPECT_DOUBLE_EQ(metric(result, "direction_length"), 3.5 * one) << "three longer, one as long";
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
  ASSERT_EQ(result.columns.size(), 6u);
  EXPECT_EQ(result.columns[1].name, "label");
  EXPECT_DOUBLE_EQ(metric(result, "accuracy"), accuracy_of(pairs, cosines, 0.1));
  EXPECT_NEAR(metric(result, "auprc"), area_of(pairs, cosines, cosines), 1e-12);
  EXPECT_EQ(metric(result, "directed_pairs"), 6);
  EXPECT_TRUE(std::isnan(metric(result, "direction_sim")));
  EXPECT_TRUE(std::isnan(metric(result, "direction_var")));
  EXPECT_DOUBLE_EQ(metric(result, "direction_length"), 3.5 / 6) << "which asks no model";
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

/// Six sentences, of which two have the word "cat". In a file of SICK all pairs are connected.
TEST_F(NliTaskTest, PairsHaveTheirClusterAndTheWeightOfTheirWords) {
  const std::vector<Pair> some{{"a cat", "b", entailment, {}, {}},
                               {"b", "c cat", neutral, {}, {}},
                               {"d", "e e", entailment, {}, {}},
                               {"f f f", "d", entailment, {}, {}},
                               {"d", "b", neutral, {}, {}}};
  const double rare = std::log(7.0 / 2), cat = std::log(7.0 / 3);
  std::string sick = sick_full(), snli;
  sick.resize(sick.find('\n') + 1);
  for (const Pair& pair : some) {
    sick += sick_row(pair, false, "TEST");
    snli += concat(R"({"gold_label": ")", nli_label_name(pair.label), R"(", "sentence1": ")", pair.premise,
                   R"(", "sentence2": ")", pair.hypothesis, "\"}\n");
  }
  for (const bool of_sick : {false, true}) {
    const NliTask read = task(of_sick ? sick : snli, "0.5");
    const NliPairs& found = read.pairs();
    const std::vector<std::int64_t> premises{0, 1, 3, 5, 3}, connected{0, 0, 0, 0, 0};
    EXPECT_EQ(found.cluster, of_sick ? connected : premises);
    const std::vector<double> of_premise{rare + cat, rare, rare, 3 * rare, rare},
        of_hypothesis{rare, rare + cat, 2 * rare, rare, rare};
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_DOUBLE_EQ(found.premise_words[i], of_premise[i]) << i;
      EXPECT_DOUBLE_EQ(found.hypothesis_words[i], of_hypothesis[i]) << i;
    }
    const Measurement measured = read.score(embeddings(read, some), {});
    EXPECT_EQ(column<std::int64_t>(measured, "cluster"), found.cluster);
    EXPECT_DOUBLE_EQ(metric(measured, "direction_words"), 2.0 / 3);
  }
}

TEST_F(NliTaskTest, WithoutAnEntailmentThereIsNothingToMeasure) {
  const auto line = [](const std::string& label) {
    return concat(R"({"gold_label": ")", label, R"(", "sentence1": "a", "sentence2": "b"})", "\n");
  };
  const std::string refusal = refusal_of([&] {
    task(line("contradiction") + line("neutral") + line("-") + line("contradiction") + line("not_entailment"), "0.5");
  });
  const std::string file = refusal.substr(0, refusal.find(": none"));
  EXPECT_EQ(refusal, concat(file, ": none of its 5 pairs is an entailment (1 neutral, the first in ", file,
                            ":2, 2 contradiction, the first in ", file, ":1, 1 without gold label, the first in ", file,
                            ":3, 1 not_entailment, the first in ", file,
                            ":5): neither accuracy nor direction can be measured: give another set"));
}

}  // namespace
}  // namespace gausscse
