#include "experiments/manifest/stage_tasks.hpp"

#include "base/content_hash.hpp"
#include "experiments/manifest/plan.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Metrics that a manifest names are looked at before anything is trained.
class PlannedMetrics : public testing::Test {
 protected:
  PlannedMetrics() { write_study_files(folder_.path()); }

  std::string refusal(const std::string& text) const {
    return refusal_of([&] {
      plan_study(parse_study(text, folder_.path()),
                 {[](const PlannedTrial&, const std::string&) { return std::nullopt; },
                  [](const PlannedTrial&) { return false; }},
                 [](const std::filesystem::path& file) { return content_hash(file); });
    });
  }

  static std::string with_columns(const std::string& columns) {
    return replaced(study_manifest, "[test.accuracy]", columns);
  }

  TemporaryFolder folder_;
};

TEST_F(PlannedMetrics, OfTablesAndChoicesAreThoseOfTasks) {
  EXPECT_EQ(refusal(replaced(study_manifest, "figure: dev.auprc", "figure: dev.aucpr")),
            "study.yaml:20:5: stages.final.best_of.figure: the task \"dev\" gives no metric \"aucpr\", did you mean "
            "\"auprc\"?");
  const std::string message = "tables.nli.figures: the task \"test\" gives no metric ";
  EXPECT_TRUE(says(refusal(with_columns("[test.acuracy]")), message + "\"acuracy\", did you mean \"accuracy\""));
  EXPECT_TRUE(says(refusal(with_columns("['mean(test.accuracy, test.spearman)']")), message + "\"spearman\""));
  EXPECT_TRUE(says(refusal(with_columns("[backbone.test.auprcs]")), message + "\"auprcs\""));
  EXPECT_EQ(refusal(with_columns("[test.direction_sim.equal_length, test.direction_words]")), "accepted");
}

TEST_F(PlannedMetrics, OfAnAverageAreTheColumnsOfItsKindAndMetric) {
  EXPECT_EQ(refusal(with_columns("[dev.accuracy, test.accuracy, average.nli.accuracy, backbone.average.nli.accuracy]")),
            "accepted");
  const std::string message = " is over the tasks of the kind \"nli\" whose \"accuracy\" the table has as a column";
  for (const char* columns : {"[average.nli.accuracy]", "[test.accuracy, average.nli.accuracy]",
                              "[test.accuracy, dev.auprc, average.nli.accuracy]",
                              "[dev.accuracy, test.accuracy, 'mean(average.nli.accuracy, test.auprc)']"})
    EXPECT_TRUE(says(refusal(with_columns(columns)), "tables.nli.figures: \"average.nli.accuracy\"" + message))
        << columns;
  EXPECT_TRUE(says(refusal(with_columns("[dev.accuracy, test.accuracy, average.sts.accuracy]")),
                   "write mean(TASK.accuracy, TASK.accuracy)"));
  EXPECT_TRUE(says(refusal(replaced(study_manifest, "figure: dev.auprc", "figure: average.nli.accuracy")),
                   "stages.final.best_of.figure: \"average.nli.accuracy\"" + message));
}

TEST_F(PlannedMetrics, OfAChoiceCanBeAMean) {
  const auto with_choice = [&](const std::string& metric) {
    return refusal(replaced(study_manifest, "figure: dev.auprc", "figure: '" + metric + "'"));
  };
  EXPECT_EQ(with_choice("mean(dev.auprc, test.auprc)"), "accepted");
  EXPECT_TRUE(says(with_choice("mean(dev.auprc, test.aucpr)"), "the task \"test\" gives no metric \"aucpr\""));
}

/// A stage that waits for a choice is looked at, too: its values before the stages that it waits for are trained.
TEST_F(PlannedMetrics, AreReportedWithValuesOfStagesThatWait) {
  const std::string message = refusal(replaced(study_manifest, "ent+con]", "ent+cno]"));
  EXPECT_TRUE(message.starts_with("study.yaml:23:29: objective.loss: \"ent+cno\" is not known")) << message;
  // A key that each trial that can be chosen sets is settled for the trial that waits.
  const std::string overridden =
      replaced(study_manifest, "  data: {train", "  training: {batch_size: 0}\n  data: {train");
  EXPECT_EQ(refusal(overridden), "accepted");
}

TEST_F(PlannedMetrics, AreReportedWithAllElseThatIsWrong) {
  const std::string message = refusal(
      replaced(replaced(with_columns("[test.acuracy, tets.accuracy]"), "figure: dev.auprc", "figure: dev.aucpr"),
               "training.batch_size: [16, 32]", "training.batch_size: [16, 0]"));
  EXPECT_TRUE(says(message, "\"0\" is out of range"));
  EXPECT_TRUE(says(message, "no metric \"aucpr\""));
  EXPECT_TRUE(says(message, "no metric \"acuracy\""));
}

}  // namespace
}  // namespace gausscse
