#include "config/trial/trial_identity.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::string sum_of_two =
    "recipe: liao\nobjective:\n  kind: sum\n  terms:\n"
    "    classification: {kind: pair_classification, weight: 0.25, activation: tanh}\n"
    "    contrastive: {kind: supervised_contrastive, weight: 0.75, positives: 3, negatives: all}\n";

TEST(ObjectiveTerms, AreReadInTheirOrderWithTheDefaultsOfTheirKinds) {
  const ObjectiveSettings objective = parse(with(sum_of_two)).objective;
  ObjectiveSettings expected{.kind = ObjectiveKind::sum, .temperature = 1};
  expected.terms = {
      {"classification", 0.25, {.kind = ObjectiveKind::pair_classification, .activation = ClassifierActivation::tanh}},
      {"contrastive", 0.75, {.kind = ObjectiveKind::supervised_contrastive, .temperature = 1, .positives = 3}}};
  EXPECT_EQ(objective, expected);
  const auto term = [](const char* keys) {
    return parse(with("recipe: liao"), {"objective.kind=sum", concat("objective.terms.x=", keys)})
        .objective.terms.at(0);
  };
  EXPECT_EQ(term("{kind: pair_classification}").weight, 1);
  EXPECT_EQ(term("{kind: supervised_contrastive, temperature: 0.3}").objective.temperature, 0.3);
  EXPECT_EQ(term("{kind: supervised_contrastive, negatives: 5}").objective.negatives, 5);
  EXPECT_EQ(term("{kind: supervised_contrastive, false_negatives: mask_known}").objective.false_negatives,
            FalseNegatives::mask_known);
  EXPECT_EQ(term("{kind: augmented_classification, other_premise_label: contradiction}").objective.other_premise_label,
            OtherPremiseLabel::contradiction);
  const Trial of_triples =
      parse(with("recipe: simcse"), {"objective.kind=sum", "objective.terms.a={kind: cosine_contrastive}"});
  EXPECT_EQ(of_triples.objective.terms[0].objective.temperature, 0.05);
  EXPECT_TRUE(of_triples.objective.terms[0].objective.hard_negatives);
}

TEST(ObjectiveTerms, TakeOverridesOneByOne) {
  const Trial trial =
      parse(with(sum_of_two), {"objective.terms.contrastive.weight=0.5", "objective.terms.contrastive.temperature=0.3",
                               "objective.terms.more={kind: supervised_contrastive, weight: 0}"});
  ASSERT_EQ(trial.objective.terms.size(), 3u);
  EXPECT_EQ(trial.objective.terms[0].weight, 0.25);
  EXPECT_EQ(trial.objective.terms[1].weight, 0.5);
  EXPECT_EQ(trial.objective.terms[1].objective.temperature, 0.3);
  EXPECT_EQ(trial.objective.terms[1].objective.positives, 3);
  EXPECT_EQ(trial.objective.terms[2].name, "more");
  EXPECT_TRUE(says_only(refusal(with(sum_of_two), {"objective.terms={}"}),
                        "\"objective.terms\" is a section: set its keys one by one"));
}

TEST(ObjectiveTerms, ReadBackEqualAsTheyArePrinted) {
  for (const char* more : {"objective.terms.x={kind: augmented_classification, weight: 0, positives: 4}",
                           "objective.terms.contrastive.positives=all", "objective.terms.classification.weight=0"}) {
    const Trial trial = parse(with(sum_of_two), {more});
    EXPECT_EQ(parse(to_yaml(trial)), trial) << to_yaml(trial);
    EXPECT_EQ(canonical_trial(trial).objective, trial.objective) << "every key of a term changes figures";
  }
  EXPECT_TRUE(says(to_yaml(parse(with(sum_of_two))),
                   "weight: 0.75\n      temperature: 1\n      false_negatives: keep\n      positives: 3\n      "
                   "negatives: all\n"));
}

TEST(ObjectiveTerms, ThatAreWrongAreRefusedWithTheirPlace) {
  const Refusal cases[] = {
      {"{}", "trial.yaml:8:10: objective.terms: the map is empty: give a term, NAME: {kind: pair_classification"},
      {"[a]", "objective.terms: a list is not a map from names to terms"},
      {"{a: 3}", "objective.terms.a: \"3\" is not a map of keys"},
      {"{a: {weight: 1}}", "trial.yaml:8:11: objective.terms.a.kind is missing: add it (gaussian_contrastive, "},
      {"{a: {kind: sum}}",
       "trial.yaml:8:21: objective.terms.a.kind: a sum cannot contain a sum: add its terms to the outer sum (allowed: "
       "gaussian_contrastive, "},
      {"{a: {kind: }}", "trial.yaml:8:21: objective.terms.a.kind: an empty value is not a text (allowed: gaussian_"},
      {"{a: {kind: [pair_classification]}}", "objective.terms.a.kind: a list is not a text (allowed: gaussian_"},
      {"{a: {kind: pair_clasification}}", "did you mean \"pair_classification\"? (allowed: gaussian_contrastive, "},
      {"{a: {kind: pair_classification, temperature: 1}}",
       "objective.terms.a.temperature: goes with a contrastive kind only: remove it, or change that"},
      {"{a: {kind: supervised}}", "trial.yaml:8:21: objective.terms.a.kind: \"supervised\" is not known"},
      {"{a.b: {kind: pair_classification}}", "the name of a term, \"a.b\", is not "},
      {"{a: {kind: pair_classification, weight: -0.5}}",
       "objective.terms.a.weight: \"-0.5\" is out of range (allowed: a number of at least 0)"},
      {"{a: {kind: pair_classification, wieght: 1}}", "did you mean \"objective.terms.a.weight\"?"},
      {"{a: {kind: supervised_contrastive, positives: 0}}",
       "objective.terms.a.positives: \"0\" is out of range (allowed: all, or an integer from 1 to "},
      {"{a: {kind: supervised_contrastive, negatives: 0}}", "objective.terms.a.negatives: \"0\" is out of range"},
      {"{a: {kind: supervised_contrastive, temperature: 0}}", "objective.terms.a.temperature: \"0\" is out of range"},
      {"{a: {kind: pair_classification, positives: 3}}",
       "objective.terms.a.positives: goes with kind supervised_contrastive or augmented_classification only"},
      {"{a: {kind: supervised_contrastive, activation: tanh}}",
       "objective.terms.a.activation: goes with kind pair_classification or augmented_classification only"},
      {"{a: {kind: pair_classification, weight: 0}, b: {kind: supervised_contrastive, weight: 0}}",
       "objective.terms: all weights are 0: nothing would be trained"},
      {"{a: {kind: pair_classification}, b: {kind: augmented_classification}}",
       "objective.terms: \"a\" and \"b\" would each train a classifier, and a model has only one"},
      {"{a: {kind: gaussian_contrastive, loss: ent}}",
       "data.examples: labelled_pairs do not go with objective.terms.a.kind gaussian_contrastive"},
      {"{a: {kind: cosine_contrastive, hard_negatives: false}, b: {kind: pair_classification}}",
       "labelled_pairs do not go with objective.terms.a.kind cosine_contrastive, which takes every pair for"},
  };
  expect_refusals(
      cases,
      [&](const std::string& text) { return refusal(with("recipe: liao\nobjective:\n  kind: sum\n  terms: " + text)); },
      says);
  EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {"objective.kind=sum"}),
                        "objective.terms: is missing: a sum has terms, objective: {kind: sum, terms: {NAME: "));
  EXPECT_TRUE(says_only(refusal(with("recipe: liao\nobjective: {terms: {a: {kind: pair_classification}}}")),
                        "objective.terms: goes with objective.kind sum only"));
}

/// Terms that are not computed are not checked against head and data.
TEST(ObjectiveTerms, OfWeight0HaveNoBearing) {
  EXPECT_EQ(refusal(with("recipe: liao"), {"objective.kind=sum", "objective.terms.a={kind: pair_classification}",
                                           "objective.terms.b={kind: augmented_classification, weight: 0}",
                                           "objective.terms.c={kind: gaussian_contrastive, weight: 0}"}),
            "accepted");
  const ObjectiveSettings sum{
      .kind = ObjectiveKind::sum,
      .terms = {{"a", 0, {.kind = ObjectiveKind::pair_classification, .activation = ClassifierActivation::relu}},
                {"b", 0, {.loss = Loss::ent_con, .similarity = Similarity::joint}},
                {"c", 2, {.kind = ObjectiveKind::cosine_contrastive, .hard_negatives = false}}}};
  EXPECT_EQ(terms_of(sum).size(), 1u);
  EXPECT_EQ(roles_of(sum), 2);
  EXPECT_FALSE(needs_labels(sum));
  EXPECT_FALSE(classifier_of(sum));
  EXPECT_EQ(similarity_of(sum), Similarity::cosine);
  ObjectiveSettings all = sum;
  for (ObjectiveTerm& term : all.terms) term.weight = 0.5;
  EXPECT_EQ(roles_of(all), 3);
  EXPECT_TRUE(needs_labels(all));
  EXPECT_EQ(classifier_of(all), ClassifierActivation::relu);
  EXPECT_EQ(similarity_of(all), Similarity::joint);
}

TEST(LabelledObjectives, NeedLabelledPairsAndVectors) {
  for (const char* kind : {"supervised_contrastive", "augmented_classification"}) {
    SCOPED_TRACE(kind);
    const std::string set = concat("objective.kind=", kind);
    EXPECT_EQ(refusal(with("recipe: liao"), {set, "objective.positives=1", "objective.negatives=all"}), "accepted");
    EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {set, "data.examples=triples"}),
                          concat("data.examples: triples do not go with objective.kind ", kind,
                                 ", which learns from labels: choose labelled_pairs")));
    EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {set, "model.head.kind=gaussian"}),
                          "which compares vectors: choose mlp_tanh or none"));
    EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {set, "objective.positives=0"}), "objective.positives: \"0\""));
  }
  EXPECT_TRUE(
      says_only(refusal(with("recipe: liao"), {"objective.kind=supervised_contrastive", "objective.temperature=0"}),
                "objective.temperature: \"0\" is out of range"));
  EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {"objective.temperature=1"}),
                        "objective.temperature: goes with a contrastive objective.kind only"));
  for (const char* kind : {"objective.kind=pair_classification", "objective.kind=augmented_classification"})
    EXPECT_TRUE(says_only(refusal(with("recipe: liao"), {kind, "objective.false_negatives=mask_equal"}),
                          "objective.false_negatives: goes with a contrastive objective.kind only"));
  EXPECT_EQ(
      refusal(with("recipe: liao"), {"objective.kind=supervised_contrastive", "objective.false_negatives=mask_known"}),
      "accepted");
}

TEST(LabelledObjectives, TheDivisorGoesWithThePoolingOfLiao) {
  EXPECT_EQ(refusal(with("recipe: dynamics"), {"model.pooling=mean_without_first", "training.pooling_divisor=longest"}),
            "accepted");
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {"training.pooling_divisor=longest"}),
                        "training.pooling_divisor: goes with model.pooling mean_without_first only"));
}

TEST(LabelledObjectives, TasksOfLabelsAskTheClassifier) {
  const std::string task = "tasks: {snli: {kind: nli_labels, files: t}}\n";
  EXPECT_EQ(refusal(with(task + "recipe: liao")), "accepted");
  EXPECT_EQ(refusal(with(task + sum_of_two)), "accepted");
  const std::string refused = "tasks.snli.kind: nli_labels asks the classifier of pairs, which this objective does not";
  EXPECT_TRUE(says_only(refusal(with(task + sum_of_two), {"objective.terms.classification.weight=0"}),
                        "trial.yaml:5:16: " + refused));
  EXPECT_TRUE(says_only(refusal(with(task + "recipe: dynamics")), refused));
  const Trial trial = parse(with("tasks: {s: {kind: nli_labels, files: t, rows: dev, eval_every: 4}}\nrecipe: liao"));
  EXPECT_EQ(trial.tasks[0], (TaskSettings{"s", 4, NliLabelsTaskSettings{"/base/t", setting::SickRows::dev}}));
  EXPECT_EQ(parse(to_yaml(trial)), trial);
}

}  // namespace
}  // namespace gausscse
