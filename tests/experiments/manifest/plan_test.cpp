#include "experiments/manifest/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/content_hash.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

class Plan : public testing::Test {
 protected:
  Plan() { write_study_files(folder_.path()); }

  std::vector<StudyPlanEntry> plan(const std::string& text, const EarlierTrials& earlier = nothing_done()) const {
    return plan_study(parse_study(text, folder_.path()), earlier,
                      [](const std::filesystem::path& file) { return content_hash(file); });
  }

  /// Trials of the first stage are done, with metrics by their titles; those that are not in the map are not.
  static EarlierTrials done(const std::map<std::string, double>& figures, const std::set<std::string>& failed = {}) {
    return {[figures](const PlannedTrial& trial, const std::string& figure) -> std::optional<double> {
              EXPECT_EQ(figure, "dev.auprc");
              const auto found = figures.find(title_of(trial));
              return found == figures.end() ? std::nullopt : std::optional(found->second);
            },
            [failed](const PlannedTrial& trial) { return failed.contains(title_of(trial)); }};
  }

  /// Returns all eight of the first stage.
  static std::map<std::string, double> all_done() {
    return {{"choose small 16 1e-5 seed 0", 0.1},   {"choose small 16 3.0e-5 seed 0", 0.4},
            {"choose small 32 1e-5 seed 0", 0.3},   {"choose small 32 3.0e-5 seed 0", 0.2},
            {"choose large 16 1e-5 seed 0", 0.5},   {"choose large 16 3.0e-5 seed 0", 0.6},
            {"choose large 32 1e-5 seed 0", 0.875}, {"choose large 32 3.0e-5 seed 0", 0.7}};
  }

  TemporaryFolder folder_;
};

const StudyPlanEntry& entry_of(const std::vector<StudyPlanEntry>& entries, const std::string& title) {
  for (const StudyPlanEntry& entry : entries)
    if (title_of(entry.planned) == title) return entry;
  ADD_FAILURE() << "no trial " << title;
  return entries.front();
}

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
  EXPECT_EQ(trial.select.figure, "auprc");
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

TEST_F(Plan, TrialsOfALaterStageWaitUntilWhatTheyAreChosenFromIsDone) {
  for (const StudyPlanEntry& entry : plan(study_manifest)) {
    const bool later = entry.planned.stage == "final";
    EXPECT_EQ(entry.planned.identity.empty(), later);
    EXPECT_EQ(entry.trial.has_value(), !later);
    EXPECT_EQ(entry.planned.waits_for, later ? "4 trials of the stage choose" : "");
  }
}

TEST_F(Plan, EachGroupTakesItsOwnBest) {
  const std::vector<StudyPlanEntry> entries = plan(study_manifest, done(all_done()));
  const StudyPlanEntry& small = entry_of(entries, "final small ent+con 16 3.0e-5 seed 5");
  EXPECT_EQ(small.trial->training.batch_size, 16);
  EXPECT_EQ(small.trial->training.learning_rate, 3e-5);
  EXPECT_EQ(small.trial->training.seed, 5);
  EXPECT_EQ(small.trial->model.backbone.path, folder_ / "small");
  EXPECT_EQ(small.trial->objective.loss, Loss::ent_con);
  EXPECT_EQ(*label_on(small.planned, "training.batch_size"), "16");
  EXPECT_EQ(*label_on(small.planned, "training.learning_rate"), "3.0e-5");
  const StudyPlanEntry& large = entry_of(entries, "final large ent 32 1e-5 seed 3");
  EXPECT_EQ(large.trial->training.batch_size, 32);
  EXPECT_EQ(large.trial->training.learning_rate, 1e-5);
  EXPECT_EQ(large.trial->model.backbone.path, folder_ / "large");
}

TEST_F(Plan, AGroupIsChosenWhileAnotherStillWaits) {
  std::map<std::string, double> figures = all_done();
  figures.erase("choose small 32 3.0e-5 seed 0");
  const std::vector<StudyPlanEntry> entries = plan(study_manifest, done(figures));
  EXPECT_FALSE(entry_of(entries, "final large ent 32 1e-5 seed 3").planned.identity.empty());
  EXPECT_EQ(entry_of(entries, "final small ent seed 3").planned.waits_for, "1 trial of the stage choose");
}

TEST_F(Plan, WithoutGroupsOnePointIsChosenForAll) {
  const std::string text = replaced(study_manifest, ", within: backbone}", "}");
  const std::vector<StudyPlanEntry> entries = plan(text, done(all_done()));
  // The earlier stage's backbone is overridden by this stage's own axis.
  const StudyPlanEntry& small = entry_of(entries, "final small ent 32 1e-5 seed 3");
  EXPECT_EQ(small.trial->model.backbone.path, folder_ / "small");
  EXPECT_EQ(small.trial->training.batch_size, 32);
}

TEST_F(Plan, OfEqualsTheFirstIsTaken) {
  std::map<std::string, double> figures = all_done();
  figures["choose small 32 1e-5 seed 0"] = figures["choose small 32 3.0e-5 seed 0"] = 0.4;
  const std::vector<StudyPlanEntry> entries = plan(study_manifest, done(figures));
  EXPECT_EQ(entry_of(entries, "final small ent 16 3.0e-5 seed 3").trial->training.batch_size, 16);
}

TEST_F(Plan, APointIsJudgedByItsMeanOverSeeds) {
  const std::string text =
      replaced(study_manifest, "      training.batch_size: [16, 32]\n      training.learning_rate: [1e-5, 3.0e-5]\n",
               "      training.batch_size: [16, 32]\n    seeds: [0, 1]\n");
  std::map<std::string, double> figures;
  for (const char* backbone : {"small", "large"}) {
    const std::string begin = std::string("choose ") + backbone;
    // One seed alone would choose 16.
    figures[begin + " 16 seed 0"] = 0.9;
    figures[begin + " 16 seed 1"] = 0.1;
    figures[begin + " 32 seed 0"] = 0.6;
    figures[begin + " 32 seed 1"] = 0.5;
  }
  const std::vector<StudyPlanEntry> entries = plan(text, done(figures));
  EXPECT_EQ(entry_of(entries, "final small ent 32 seed 3").trial->training.batch_size, 32);

  // A failed seed that is left out makes no mean smaller, though it makes the sum so.
  const std::string left_out = replaced(text, "within: backbone", "within: backbone, failed: leave_out");
  std::set<std::string> failed;
  for (const char* backbone : {"small", "large"}) {
    const std::string begin = std::string("choose ") + backbone;
    figures[begin + " 16 seed 1"] = 0.5;
    figures.erase(begin + " 32 seed 1");
    figures[begin + " 32 seed 0"] = 0.8;
    failed.insert(begin + " 32 seed 1");
  }
  EXPECT_EQ(entry_of(plan(left_out, done(figures, failed)), "final small ent 32 seed 3").trial->training.batch_size,
            32);
}

TEST_F(Plan, AFailedTrialBlocksTheChoiceOrIsLeftOut) {
  std::map<std::string, double> figures = all_done();
  const std::string best = "choose small 16 3.0e-5 seed 0";
  figures.erase(best);
  const std::vector<StudyPlanEntry> blocked = plan(study_manifest, done(figures, {best}));
  EXPECT_EQ(entry_of(blocked, "final small ent seed 3").planned.waits_for, "1 failed trial of the stage choose");
  const std::string text = replaced(study_manifest, "within: backbone", "within: backbone, failed: leave_out");
  const std::vector<StudyPlanEntry> left_out = plan(text, done(figures, {best}));
  EXPECT_EQ(entry_of(left_out, "final small ent 32 1e-5 seed 3").trial->training.batch_size, 32);
  std::set<std::string> all;
  for (const auto& [title, figure] : all_done()) all.insert(title);
  EXPECT_EQ(entry_of(plan(text, done({}, all)), "final small ent seed 3").planned.waits_for,
            "4 failed trials of the stage choose");
}

TEST_F(Plan, AFigureThatIsNotThereIsRefused) {
  std::map<std::string, double> figures = all_done();
  figures["choose small 16 1e-5 seed 0"] = std::numeric_limits<double>::quiet_NaN();
  const std::string message = refusal_of([&] { plan(study_manifest, done(figures)); });
  EXPECT_TRUE(says(message,
                   "study.yaml:20:5: best_of.figure: the trial choose small 16 1e-5 seed 0 is done and has no metric "
                   "\"dev.auprc\""));
  const std::string other_task = replaced(study_manifest, "figure: dev.auprc", "figure: dve.auprc");
  EXPECT_TRUE(says(refusal_of([&] { plan(other_task); }),
                   "best_of.figure: \"dve\" is no task of all trials of the stage choose, did you mean \"dev\""));
  const std::string of_table = replaced(study_manifest, "[test.accuracy]", "[tets.accuracy]");
  EXPECT_TRUE(says(refusal_of([&] { plan(of_table, done(all_done())); }),
                   "tables.nli.figures: \"tets\" is no task of the trials of the stage final, did you mean \"test\""));
}

TEST_F(Plan, EveryFigureOfAMeanIsLookedAt) {
  const std::string text = replaced(study_manifest, "[test.accuracy]", "['mean(test.accuracy, tets.accuracy)']");
  EXPECT_TRUE(
      says(refusal_of([&] { plan(text, done(all_done())); }), "\"tets\" is no task of the trials of the stage final"));
}

/// Metrics of a calibrator and of the backbone are those of a task, alone and in a mean.
TEST_F(Plan, MetricsOfCalibratorsAndBackbonesCanBeColumns) {
  const std::string text = replaced(study_manifest, "[test.accuracy]",
                                    "[test.logistic.auprc, test.platt.ece, 'mean(test.logistic.auprc, "
                                    "test.isotonic.auprc)', backbone.test.logistic.auprc]");
  EXPECT_EQ(plan(text, done(all_done())).size(), plan(study_manifest, done(all_done())).size());
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
