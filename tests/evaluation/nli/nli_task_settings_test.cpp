#include "evaluation/nli/nli_labels_task.hpp"
#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using namespace nli_task;  // the pairs and their metrics

TEST_F(NliTaskTest, ASetOfItsOwnThresholdTakesTheTrialRowsOfSick) {
  const NliTask dev = task(sick_full(), "own");
  const std::vector<Pair> some = trial_pairs();
  const std::vector<double> similarity = similarities(some, Similarity::per_dimension);
  const double threshold = threshold_of(some, similarity);
  ASSERT_NE(threshold, 0.62);
  const Measurement result = dev.score(embeddings(dev, pairs), {});
  EXPECT_EQ(metric(result, "pairs"), 5);
  EXPECT_EQ(column<std::uint8_t>(result, "label").size(), 5u);
  EXPECT_EQ(metric(result, "threshold"), threshold);
  EXPECT_DOUBLE_EQ(metric(result, "accuracy"), accuracy_of(some, similarity, threshold));
}

TEST_F(NliTaskTest, TakesTheThresholdOfTheTaskThatItNames) {
  const NliTask sick = task(sick_full(), "other");
  const Measurement of_none{"dev", "nli", true, {{"threshold", 0.1, Unit::number}}, {}, ""};
  const Measurement of_other{"other", "nli", true, {{"threshold", 0.62, Unit::number}}, {}, ""};
  const Measurement result = sick.score(embeddings(sick, pairs), {of_none, of_other});
  EXPECT_EQ(metric(result, "threshold"), 0.62);
  EXPECT_DOUBLE_EQ(metric(result, "accuracy"),
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
  const SentenceModel model = model_to_read_for(tokenizer_, 64, 64);
  const ReadingSettings reading{.scoring = {.two_way_pairs = setting::TwoWayPairs::drop}};
  const NliTask of_dev("sick", settings, model, reading);
  EXPECT_EQ(metric(of_dev.score(embeddings(of_dev, pairs), {}), "pairs"), 5);
  settings.rows = setting::SickRows::test;
  const NliTask keeping("sick", settings, model, reading);
  EXPECT_EQ(metric(keeping.score(embeddings(keeping, pairs), {}), "directed_pairs"), 6);
  settings.two_way_pairs.reset();
  const NliTask dropping("sick", settings, model, reading);
  EXPECT_EQ(metric(dropping.score(embeddings(dropping, pairs), {}), "directed_pairs"), 5);
}

TEST_F(NliTaskTest, LabelsAreThoseOfTheRowsAskedFor) {
  const SentenceModel model = model_to_read_for(tokenizer_, 64, 64, {.classifier = ClassifierActivation::none});
  const auto sentences_of = [&](setting::SickRows rows) {
    const NliLabelsTask task("labels", {.file = file(sick_full()), .rows = rows}, model, {});
    std::set<std::string> sentences;
    for (std::uint32_t i = 0; i < task.sentences().sentences(); ++i) sentences.insert(sentence(task.sentences(), i));
    return sentences;
  };
  const auto sentences_among = [](const std::vector<Pair>& some) {
    std::set<std::string> sentences;
    for (const Pair& pair : some) sentences.insert({pair.premise, pair.hypothesis});
    return sentences;
  };
  EXPECT_EQ(sentences_of(setting::SickRows::dev), sentences_among(trial_pairs()));
  EXPECT_EQ(sentences_of(setting::SickRows::test), sentences_among(pairs));
}

TEST_F(NliTaskTest, ATasksOwnAreaAndGoldLabelsComeBeforeTheModels) {
  NliTaskSettings settings;
  settings.file = file(sick_full());
  settings.threshold = "0.62";
  const auto measured = [&](const NliScoring& of_model) {
    const NliTask sick("sick", settings, model_to_read_for(tokenizer_, 64, 64), {.scoring = of_model});
    return sick.score(embeddings(sick, pairs), {});
  };
  const double by_trapezoids = metric(measured({}), "auprc"),
               by_sweep = metric(measured({.auprc = setting::Auprc::sweep}), "auprc");
  ASSERT_GT(std::abs(by_trapezoids - by_sweep), 1e-3);
  settings.auprc = setting::Auprc::sweep;
  EXPECT_EQ(metric(measured({}), "auprc"), by_sweep);
  settings.auprc = setting::Auprc::trapezoid;
  EXPECT_EQ(metric(measured({.auprc = setting::Auprc::sweep}), "auprc"), by_trapezoids);

  const char* neutral_and_none =
      "{\"gold_label\": \"entailment\", \"sentence1\": \"a longer one\", \"sentence2\": \"a short\"}\n"
      "{\"gold_label\": \"-\", \"sentence1\": \"g g\", \"sentence2\": \"g\"}\n";
  settings.file = file(neutral_and_none);
  settings.no_gold_label = setting::NoGoldLabel::drop;
  EXPECT_EQ(metric(measured({}), "pairs"), 1);
  settings.no_gold_label = setting::NoGoldLabel::non_entailment;
  EXPECT_EQ(metric(measured({.no_gold_label = setting::NoGoldLabel::drop}), "pairs"), 2);
}

TEST_F(NliTaskTest, GroupsPairsByTheKeyThatItNames) {
  NliTaskSettings settings;
  settings.file = file(
      "{\"gold_label\": \"entailment\", \"sentence1\": \"a longer one\", \"sentence2\": \"a short\", \"kind\": \"x\"}\n"
      "{\"gold_label\": \"neutral\", \"sentence1\": \"g g\", \"sentence2\": \"g\", \"kind\": \"y z\"}\n");
  settings.by = "kind";
  const NliTask grouped("set", settings, model_to_read_for(tokenizer_, 64, 64), {});
  const Measurement result = grouped.score(embeddings(grouped, pairs), {});
  EXPECT_EQ(column<std::string>(result, "group"), (std::vector<std::string>{"x", "y_z"}));
  EXPECT_EQ(metric(result, "pairs.kind=x"), 1);
  EXPECT_EQ(metric(result, "positives.kind=y_z"), 0);
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
    EXPECT_EQ(snli.pairs().report.pairs_with(NliLabel::none), 1u);
    const Measurement result = snli.score(embeddings(snli, pairs), {});
    EXPECT_EQ(column<std::uint8_t>(result, "label").size(), 10u);
    EXPECT_EQ(metric(result, "pairs"), drop ? 9 : 10);
    EXPECT_DOUBLE_EQ(metric(result, "accuracy"), accuracy_of(counted, similarity, 0.62));
    EXPECT_NEAR(metric(result, "auprc"), area_of(counted, similarity, similarity), 1e-12);
    // The pair is none of the direction task either way, and SNLI marks no two-way pairs.
    EXPECT_EQ(metric(result, "directed_pairs"), static_cast<double>(entailments) - 1);
    EXPECT_DOUBLE_EQ(metric(result, "direction_sim"), 3.0 / 5);
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
    // Such a file is one set, in any role.
    const NliTask kept = task(text, threshold);
    EXPECT_EQ(metric(kept.score(embeddings(kept, pairs), {}), "directed_pairs"), 6);
  }
}

}  // namespace
}  // namespace gausscse
