#include "tests/experiments/manifest/planned_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

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
  std::map<std::string, double> metrics = all_done();
  metrics.erase("choose small 32 3.0e-5 seed 0");
  const std::vector<StudyPlanEntry> entries = plan(study_manifest, done(metrics));
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
  std::map<std::string, double> metrics = all_done();
  metrics["choose small 32 1e-5 seed 0"] = metrics["choose small 32 3.0e-5 seed 0"] = 0.4;
  const std::vector<StudyPlanEntry> entries = plan(study_manifest, done(metrics));
  EXPECT_EQ(entry_of(entries, "final small ent 16 3.0e-5 seed 3").trial->training.batch_size, 16);
}

TEST_F(Plan, APointIsJudgedByItsMeanOverSeeds) {
  const std::string text =
      replaced(study_manifest, "      training.batch_size: [16, 32]\n      training.learning_rate: [1e-5, 3.0e-5]\n",
               "      training.batch_size: [16, 32]\n    seeds: [0, 1]\n");
  std::map<std::string, double> metrics;
  for (const char* backbone : {"small", "large"}) {
    const std::string begin = std::string("choose ") + backbone;
    // One seed alone would choose 16.
    metrics[begin + " 16 seed 0"] = 0.9;
    metrics[begin + " 16 seed 1"] = 0.1;
    metrics[begin + " 32 seed 0"] = 0.6;
    metrics[begin + " 32 seed 1"] = 0.5;
  }
  const std::vector<StudyPlanEntry> entries = plan(text, done(metrics));
  EXPECT_EQ(entry_of(entries, "final small ent 32 seed 3").trial->training.batch_size, 32);

  // A failed seed that is left out makes no mean smaller, though it makes the sum so.
  const std::string left_out = replaced(text, "within: backbone", "within: backbone, failed: leave_out");
  std::set<std::string> failed;
  for (const char* backbone : {"small", "large"}) {
    const std::string begin = std::string("choose ") + backbone;
    metrics[begin + " 16 seed 1"] = 0.5;
    metrics.erase(begin + " 32 seed 1");
    metrics[begin + " 32 seed 0"] = 0.8;
    failed.insert(begin + " 32 seed 1");
  }
  EXPECT_EQ(entry_of(plan(left_out, done(metrics, failed)), "final small ent 32 seed 3").trial->training.batch_size,
            32);
}

TEST_F(Plan, AFailedTrialBlocksTheChoiceOrIsLeftOut) {
  std::map<std::string, double> metrics = all_done();
  const std::string best = "choose small 16 3.0e-5 seed 0";
  metrics.erase(best);
  const std::vector<StudyPlanEntry> blocked = plan(study_manifest, done(metrics, {best}));
  EXPECT_EQ(entry_of(blocked, "final small ent seed 3").planned.waits_for, "1 failed trial of the stage choose");
  const std::string text = replaced(study_manifest, "within: backbone", "within: backbone, failed: leave_out");
  const std::vector<StudyPlanEntry> left_out = plan(text, done(metrics, {best}));
  EXPECT_EQ(entry_of(left_out, "final small ent 32 1e-5 seed 3").trial->training.batch_size, 32);
  std::set<std::string> all;
  for (const auto& [title, metric] : all_done()) all.insert(title);
  EXPECT_EQ(entry_of(plan(text, done({}, all)), "final small ent seed 3").planned.waits_for,
            "4 failed trials of the stage choose");
}

TEST_F(Plan, AMetricThatIsNotThereIsRefused) {
  std::map<std::string, double> metrics = all_done();
  metrics["choose small 16 1e-5 seed 0"] = std::numeric_limits<double>::quiet_NaN();
  const std::string message = refusal_of([&] { plan(study_manifest, done(metrics)); });
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

TEST_F(Plan, EveryMetricOfAMeanIsLookedAt) {
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

}  // namespace
}  // namespace gausscse
