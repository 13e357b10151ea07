#include "dist/communicator.hpp"
#include "tests/results/read_events.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"

namespace gausscse {
namespace {

/// Returns the curves that a result has, by TensorBoard's names.
std::map<std::string, Points> curves_of(const RunResult& result) {
  std::map<std::string, Points> curves;
  const TrainingSeries& training = result.training;
  for (std::size_t i = 0; i < training.step.size(); ++i) {
    const std::int64_t done = training.step[i] + 1;
    curves["training/loss"][done] = static_cast<float>(training.loss[i]);
    curves["training/learning_rate"][done] = static_cast<float>(training.learning_rate[i]);
    curves["training/gradient_norm"][done] = static_cast<float>(training.gradient_norm[i]);
    curves["training/examples_per_second"][done] = static_cast<float>(training.examples_per_second[i]);
  }
  for (const Curve& curve : result.curves)
    for (const Curve::Line& line : curve.lines)
      for (std::size_t i = 0; i < curve.step.size(); ++i)
        curves[curve.task + "/" + line.metric][curve.step[i]] = static_cast<float>(line.values[i]);
  return curves;
}

void expect_same(const std::map<std::string, Points>& curves, const std::map<std::string, Points>& expected) {
  ASSERT_EQ(curves.size(), expected.size());
  for (const auto& [tag, points] : expected) {
    SCOPED_TRACE(tag);
    ASSERT_TRUE(curves.contains(tag));
    ASSERT_EQ(curves.at(tag).size(), points.size());
    for (const auto& [step, value] : points) {
      ASSERT_TRUE(curves.at(tag).contains(step)) << step;
      const float read = curves.at(tag).at(step);
      EXPECT_TRUE(read == value || (std::isnan(read) && std::isnan(value))) << step << ": " << read << ", " << value;
    }
  }
}

/// Each point, of each step and measurement, is that of the result, whether the training was undisturbed or stopped
/// twice: after a step that is measured, and after another one.
TEST_F(TrialTraining, CurvesForTensorboardAreThoseOfTheResult) {
  Trial trial = training_.trial({"training.max_steps=7", "tasks.dev.eval_every=2", "training.tensorboard=true"});
  const auto train = [&](int steps) {
    StopAfter requests(steps);
    RecordingObserver told;
    return train_trial(trial, training_.options, *make_self_communicator(), told, requests);
  };
  trial.output = training_.folder / "whole";
  const RunResult whole = train(100);
  expect_same(curves_in(trial.output / "tensorboard"), curves_of(whole));
  EXPECT_EQ(event_files_in(trial.output / "tensorboard").size(), 1u);
  EXPECT_EQ(whole.training.step.size(), 7u);
  EXPECT_EQ(whole.curves.at(0).step, (std::vector<std::int64_t>{0, 2, 4, 6, 7}));

  trial.output = training_.folder / "stopped";
  EXPECT_THROW(train(4), TrainingStopped);
  EXPECT_THROW(train(1), TrainingStopped);
  const RunResult stopped = train(100);
  expect_same(curves_in(trial.output / "tensorboard"), curves_of(stopped));
  EXPECT_EQ(event_files_in(trial.output / "tensorboard").size(), 3u);
  EXPECT_EQ(stopped.training.loss, whole.training.loss);
}

/// It is off by default, and a result does not depend on it: a run that has its result is not run again for it.
TEST_F(TrialTraining, CurvesForTensorboardAreWrittenOnlyWhereAskedFor) {
  Trial trial = training_.trial({"training.max_steps=2"});
  NoRequests requests;
  RecordingObserver told;
  const auto train = [&] { train_trial(trial, training_.options, *make_self_communicator(), told, requests); };
  train();
  trial.training.tensorboard = true;
  train();
  EXPECT_EQ(told.steps.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(trial.output / "tensorboard"));
}

}  // namespace
}  // namespace gausscse
