#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// Tasks that are measured while training, each at its own period.

namespace gausscse {
namespace {

using Steps = std::vector<std::int64_t>;

const std::string sts = "tasks.sts={kind: sts, files: sts.csv, eval_every: 5}";

using PeriodicTasks = TinyProjectTest;

/// Steps of the six with a measurement; the first and the last state are measured regardless of the period.
TEST_F(PeriodicTasks, CurvesHavePointsAtTheStepsOfTheirTaskAndNoOthers) {
  const RunResult result = train_to_result(
      project_, "out", 0,
      {sts, "tasks.dev.eval_every=2", "tasks.tiny.eval_every=4",
       "tasks.rare={kind: sts, files: sts.csv, eval_every: 100}", "tasks.end={kind: sts, files: sts.csv}"});
  ASSERT_EQ(result.curves.size(), 4u) << "the task `end` has none";
  EXPECT_EQ(curve_in(result.curves, "dev").step, (Steps{0, 2, 4, 6}));
  EXPECT_EQ(curve_in(result.curves, "tiny").step, (Steps{0, 4, 6}));
  EXPECT_EQ(curve_in(result.curves, "sts").step, (Steps{0, 5, 6}));
  EXPECT_EQ(curve_in(result.curves, "rare").step, (Steps{0, 6}));
  ASSERT_EQ(result.states.at(1).state, "last");
  const StateResult& last = result.states[1];
  EXPECT_EQ(last.tasks.size(), 5u);
  for (const Curve& curve : result.curves)
    for (const Curve::Line& line : curve.lines) {
      ASSERT_EQ(line.values.size(), curve.step.size()) << curve.task << " " << line.metric;
      EXPECT_TRUE(is_same_value(line.values.back(), metric_in(last, curve.task, line.metric)))
          << curve.task << " " << line.metric;
    }
  EXPECT_EQ(line_in(result, "sts", "spearman").front(), line_in(result, "rare", "spearman").front());
  EXPECT_EQ(metric_in(last, "end", "spearman"), metric_in(last, "sts", "spearman"));
}

/// At steps 2 and 4 dev is not due, but tiny needs its threshold.
TEST_F(PeriodicTasks, AThresholdIsThatOfItsTaskAtTheSameStep) {
  const Overrides fast = {"training.learning_rate=0.02"};
  Overrides often = fast, seldom = fast;
  often.emplace_back("tasks.dev.eval_every=1");
  seldom.insert(seldom.end(), {"tasks.dev.eval_every=3", "tasks.tiny.eval_every=2"});
  const RunResult of_dev = train_to_result(project_, "often", 0, often);
  const RunResult result = train_to_result(project_, "seldom", 0, seldom);
  const std::vector<double>& thresholds = line_in(of_dev, "dev", "threshold");
  const std::vector<double>& of_tiny = line_in(result, "tiny", "threshold");
  ASSERT_EQ(curve_in(result.curves, "tiny").step, (Steps{0, 2, 4, 6}));
  for (const std::size_t point : {0u, 1u, 2u, 3u}) EXPECT_EQ(of_tiny[point], thresholds.at(2 * point)) << point;
  EXPECT_NE(thresholds[2], thresholds[0]) << "else this shows nothing";
  EXPECT_NE(thresholds[4], thresholds[3]) << "else this shows nothing";
  EXPECT_EQ(curve_in(result.curves, "dev").step, (Steps{0, 3, 6}));
  EXPECT_EQ(line_in(result, "dev", "auprc").at(1), line_in(of_dev, "dev", "auprc").at(3));
}

TEST_F(PeriodicTasks, ChangeNothingOfTheTraining) {
  const RunResult with = train_to_result(project_, "with", 2, {sts, "tasks.dev.eval_every=1"});
  const RunResult without = train_to_result(project_, "without", 2);
  EXPECT_EQ(with.training.loss, without.training.loss);
  EXPECT_EQ(with.training.gradient_norm, without.training.gradient_norm);
}

/// Killed while each of its checkpoints is written.
TEST_F(PeriodicTasks, AKilledRunGoesOnToTheSameCurvesAndMetrics) {
  const Overrides overrides = {
      "training.checkpoint_every=1", sts, "tasks.dev.eval_every=3", "tasks.tiny.eval_every=2", "select.task=sts",
      "select.figure=spearman"};
  ASSERT_EQ(train(project_, "whole", {}, overrides).exit_code, 0);
  for (const int checkpoint : {2, 3, 4, 5, 6}) {
    const std::string output = "killed" + std::to_string(checkpoint);
    ASSERT_TRUE(ended(train(project_, output, with_kill_at("checkpoint_rename", checkpoint), overrides), 137));
    ASSERT_EQ(checkpoints_of(folder_ / output).back(), checkpoint - 1);
    EXPECT_EQ(expect_the_undisturbed_end(project_, output, {}, overrides), checkpoint - 1);
    ASSERT_FALSE(HasFailure()) << output;
  }
}

}  // namespace
}  // namespace gausscse
