#include "tests/experiments/manifest/planned_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST_F(Plan, HasATrialForEachPointAndSeedInOrder) {
  const std::vector<StudyPlanEntry> entries = plan(study_manifest);
  ASSERT_EQ(entries.size(), 8u + 8u);
  EXPECT_EQ(title_of(entries[0].planned), "choose small 16 1e-5 seed 0");
  EXPECT_EQ(title_of(entries[7].planned), "choose large 32 3.0e-5 seed 0");
  EXPECT_EQ(title_of(entries[8].planned), "final large ent seed 3");
  EXPECT_EQ(title_of(entries[9].planned), "final large ent seed 5");
  EXPECT_EQ(title_of(entries[15].planned), "final small ent+con seed 5");
}

TEST_F(Plan, ATrialHasTheDefaultsAndWhatItsPointSets) {
  const std::vector<StudyPlanEntry> entries = plan(study_manifest);
  const Trial& trial = *entry_of(entries, "choose large 32 1e-5 seed 0").trial;
  EXPECT_EQ(trial.model.backbone.path, folder_ / "large");
  EXPECT_EQ(trial.data.train, (std::vector{folder_ / "train.jsonl"}));
  EXPECT_EQ(trial.training.batch_size, 32);
  EXPECT_EQ(trial.training.learning_rate, 1e-5);
  EXPECT_EQ(trial.training.seed, 0);
  EXPECT_EQ(trial.select.metric, "auprc");
  EXPECT_EQ(trial.objective.loss, Trial().objective.loss);
  ASSERT_EQ(trial.tasks.size(), 2u);
  EXPECT_EQ(trial.tasks[1].name, "test");
}

TEST_F(Plan, AnAxisReachesTheTermsOfASum) {
  const std::vector<StudyPlanEntry> entries = plan(R"(format: gausscse-manifest/1
name: weights
defaults:
  recipe: liao
  model: {backbone: {path: small}}
  data: {train: train.jsonl}
  tasks: {test: {kind: nli, files: test.jsonl}}
  objective:
    kind: sum
    terms:
      labels: {kind: pair_classification, weight: 0.25}
      pairs: {kind: supervised_contrastive, positives: 3}
stages:
  all:
    grid:
      objective.terms.pairs.weight: [0.5, 2]
      objective.terms.pairs.temperature: [0.1, 0.3]
tables:
  nli: {rows: [objective.terms.pairs.weight], figures: [test.accuracy]}
)");
  ASSERT_EQ(entries.size(), 4u);
  std::set<std::string> identities;
  for (const StudyPlanEntry& entry : entries) {
    const auto number = [&](const char* axis) { return std::stod(*label_on(entry.planned, axis)); };
    const std::vector<ObjectiveTerm>& terms = entry.trial->objective.terms;
    ASSERT_EQ(terms.size(), 2u);
    EXPECT_EQ(terms[0].weight, 0.25);
    EXPECT_EQ(terms[1].name, "pairs");
    EXPECT_EQ(terms[1].weight, number("objective.terms.pairs.weight"));
    EXPECT_EQ(terms[1].objective.temperature, number("objective.terms.pairs.temperature"));
    EXPECT_EQ(terms[1].objective.positives, 3);
    identities.insert(entry.planned.identity);
  }
  EXPECT_EQ(identities.size(), 4u);
}

TEST_F(Plan, TwoTrialsOfOneStageThatAreTheSameAreRefused) {
  const std::string text =
      replaced(study_manifest, "training.batch_size: [16, 32]", "training.checkpoint_every: [1, 2]");
  const std::string message = refusal_of([&] { plan(text); });
  EXPECT_TRUE(
      says(message,
           "study.yaml:14:3: the trials \"choose small 1 1e-5 seed 0\" and \"choose small 2 1e-5 seed 0\" are one "
           "and the same"));
}

TEST_F(Plan, TrialsOfTwoStagesMayBeTheSame) {
  const std::string text =
      replaced(replaced(study_manifest, "seeds: [3, 5]", "seeds: [0, 5]"), "[ent, ent+con]", "[ent+con+rev]");
  const std::vector<StudyPlanEntry> entries = plan(text, done(all_done()));
  EXPECT_EQ(entry_of(entries, "choose small 16 3.0e-5 seed 0").planned.identity,
            entry_of(entries, "final small ent+con+rev 16 3.0e-5 seed 0").planned.identity);
}

/// The place is that in the manifest, and a fault of many trials is reported once.
TEST_F(Plan, WhatIsWrongWithATrialIsReportedOnce) {
  const auto message_of = [&](const std::string& from, const std::string& to) {
    return refusal_of([&] { plan(replaced(study_manifest, from, to)); });
  };
  const std::string unknown =
      message_of("large: {model: {backbone: {path: large}}}", "large: {model.backbne.path: large}");
  EXPECT_TRUE(unknown.starts_with("study.yaml:12:13: the key \"model.backbne\" is not known")) << unknown;
  EXPECT_EQ(unknown.find('\n'), std::string::npos) << unknown;
  const std::string range = message_of("training.batch_size: [16, 32]", "training.batch_size: [16, 0]");
  EXPECT_TRUE(range.starts_with("study.yaml:17:33: training.batch_size: \"0\" is out of range")) << range;
  EXPECT_EQ(range.find('\n'), std::string::npos) << range;
  EXPECT_TRUE(says(message_of("  select: {task: dev", "  select: {task: dve"), "\"dve\" is none of the tasks"));
}

TEST_F(Plan, ATrialWaitsForWhatItReadsAndTheOthersDoNot) {
  std::filesystem::remove_all(folder_ / "large");
  const std::vector<StudyPlanEntry> entries = plan(study_manifest);
  ASSERT_EQ(entries.size(), 16u);
  const StudyPlanEntry& large = entry_of(entries, "choose large 32 1e-5 seed 0");
  EXPECT_FALSE(large.trial);
  EXPECT_EQ(large.planned.identity, "");
  EXPECT_EQ(large.missing_input, folder_ / "large");
  EXPECT_EQ(large.missing_advice, "");
  EXPECT_EQ(large.planned.waits_for, (folder_ / "large").string() + ", which is not there");
  const StudyPlanEntry& small = entry_of(entries, "choose small 32 1e-5 seed 0");
  EXPECT_TRUE(small.trial);
  EXPECT_EQ(small.missing_input, "");
  // Its choice has to wait, too.
  EXPECT_EQ(entry_of(entries, "final large ent seed 3").planned.waits_for, "4 trials of the stage choose");
}

/// A task of tables and choices is known although none of its trials can be run yet.
TEST_F(Plan, WhatCannotBeRunYetIsCheckedAllTheSame) {
  std::filesystem::remove_all(folder_ / "large");
  const std::string refusal =
      refusal_of([&] { plan(replaced(study_manifest, "figure: dev.auprc", "figure: dve.auprc")); });
  EXPECT_TRUE(says(refusal, "\"dve\" is no task of all trials of the stage choose"));
  EXPECT_TRUE(says(
      refusal_of([&] { plan(replaced(study_manifest, "training.batch_size: [16, 32]", "training.batch_size: [0]")); }),
      "training.batch_size: \"0\" is out of range"));
}

TEST_F(Plan, WhereNoTrialHasItsFilesTheyAreNamed) {
  const std::string refusal =
      refusal_of([&] { plan(replaced(study_manifest, "data: {train: train.jsonl}", "data: {train: missing.jsonl}")); });
  EXPECT_TRUE(says(refusal, (folder_ / "missing.jsonl").string() + ": there is no such file or folder"));
  EXPECT_FALSE(says(refusal, "hf download"));
  const std::string of_models = refusal_of([&] {
    plan(replaced(replaced(study_manifest, "{path: large}", "{path: roberta-large}"), "{model.backbone.path: small}",
                  "{model.backbone.path: org/small}"));
  });
  for (const auto& [path, name] : {std::pair("roberta-large", "FacebookAI/roberta-large"), {"org/small", "org/small"}})
    EXPECT_TRUE(says(of_models, concat("or name another in the manifest; if \"", name,
                                       "\" of the Hugging Face hub is meant, download it there: hf download ", name,
                                       " --include \"*.[jst]*\" --local-dir ", (folder_ / path).string())));
}

}  // namespace
}  // namespace gausscse
