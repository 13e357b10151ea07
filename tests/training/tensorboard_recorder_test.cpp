#include "training/tensorboard_recorder.hpp"

#include "tests/results/read_events.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"

namespace gausscse {
namespace {

TEST(StepsBetweenPoints, LeaveAThousandPointsAtMost) {
  const std::map<std::int64_t, std::int64_t> expected{{1, 1},    {999, 1},  {1000, 1},     {1001, 2},
                                                      {2000, 2}, {2001, 3}, {100'000, 100}};
  for (const auto& [total, steps] : expected) EXPECT_EQ(steps_between_points(total), steps) << total;
}

class TensorboardRecorderTest : public testing::Test {
 protected:
  /// Every third of 2500 steps has a point, and so has the last.
  static constexpr std::int64_t total = 2500;

  /// The values of a step are its number in several scales.
  static StepReport values_of(std::int64_t step) {
    const auto number = static_cast<double>(step);
    return {.step = step,
            .total_steps = total,
            .loss = number,
            .learning_rate = 10 * number,
            .gradient_norm = 100 * number,
            .seconds = 0.5,
            .examples_per_second = 1000 * number,
            .tokens_per_second = 7};
  }

  static RunResult resumed_after(std::int64_t steps) {
    RunResult result;
    TrainingSeries& series = result.training;
    for (std::int64_t i = 0; i < steps; ++i) {
      const StepReport report = values_of(i);
      series.step.push_back(i);
      series.loss.push_back(report.loss);
      series.learning_rate.push_back(report.learning_rate);
      series.gradient_norm.push_back(report.gradient_norm);
      series.examples_per_second.push_back(report.examples_per_second);
      series.tokens_per_second.push_back(report.tokens_per_second);
    }
    return result;
  }

  TensorboardRecorder recorder() {
    return {observer_, folder_ / "curves", [this] { return ++time_; }};
  }

  TemporaryFolder folder_;
  RecordingObserver observer_;
  double time_ = 1764175000;
};

TEST_F(TensorboardRecorderTest, APointHasTheMeansOfTheStepsSinceTheLast) {
  TensorboardRecorder curves = recorder();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "curves")) << "there is nothing to write";
  for (std::int64_t step = 0; step < 7; ++step) curves.on_step(values_of(step));
  curves.on_step(values_of(total - 1));
  const auto read = curves_in(folder_ / "curves");
  EXPECT_EQ(read.at("training/loss"), (Points{{3, 1}, {6, 4}, {total, (6 + 2499) / 2.0f}}));
  EXPECT_EQ(read.at("training/learning_rate"), (Points{{3, 20}, {6, 50}, {total, 24990}}));
  EXPECT_EQ(read.at("training/gradient_norm"), (Points{{3, 100}, {6, 400}, {total, 125250}}));
  EXPECT_EQ(read.at("training/examples_per_second"), (Points{{3, 1000}, {6, 4000}, {total, 1252500}}));
  EXPECT_EQ(read.size(), 4u);
  EXPECT_EQ(observer_.steps.size(), 8u);
  EXPECT_EQ(observer_.notes, (std::vector{"curves for TensorBoard are written to " + (folder_ / "curves").string()}));
}

TEST_F(TensorboardRecorderTest, MetricsAreNamedAfterTheirTasks) {
  TensorboardRecorder curves = recorder();
  Measurement dev;
  dev.task = "dev";
  dev.metrics = {{"pairs", 10, Unit::count}, {"auprc", 0.5}};
  curves.on_measurement(0, dev, nullptr, false);
  dev.metrics[1].value = 0.75;
  curves.on_measurement(4, dev, &dev.metrics[1], true);
  EXPECT_EQ(curves_in(folder_ / "curves"),
            (std::map<std::string, Points>{{"dev/pairs", {{0, 10}, {4, 10}}}, {"dev/auprc", {{0, 0.5}, {4, 0.75}}}}));
  EXPECT_EQ(observer_.measurements.size(), 2u);
  const auto events = read_events(event_files_in(folder_ / "curves").at(0));
  EXPECT_EQ(events.at(1).step, 0) << "where the run begins";
  EXPECT_EQ(events.at(2).wall_time, 1764175002);
  EXPECT_EQ(events.at(3).wall_time, 1764175003);
}

/// Points of the first run beyond the checkpoint are wrong on purpose: they may not stay.
TEST_F(TensorboardRecorderTest, ARunThatResumesTakesThePlaceOfPointsFromTheCheckpointOn) {
  for (const std::int64_t done : {2, 5, 6, 7}) {
    SCOPED_TRACE(done);
    std::filesystem::remove_all(folder_ / "curves");
    {
      TensorboardRecorder first = recorder();
      for (std::int64_t step = 0; step < 9; ++step) {
        StepReport report = values_of(step);
        if (step >= done) report.loss = -1;
        first.on_step(report);
      }
    }
    TensorboardRecorder second = recorder();
    second.on_resumed(resumed_after(done), total);
    for (std::int64_t step = done; step < 12; ++step) second.on_step(values_of(step));
    const auto files = event_files_in(folder_ / "curves");
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(read_events(files[1]).at(1).step, done);
    EXPECT_EQ(curves_in(folder_ / "curves").at("training/loss"), (Points{{3, 1}, {6, 4}, {9, 7}, {12, 10}}));
    EXPECT_EQ(curves_in(folder_ / "curves").at("training/learning_rate"),
              (Points{{3, 20}, {6, 50}, {9, 80}, {12, 110}}));
  }
}

/// As with --overwrite.
TEST_F(TensorboardRecorderTest, ARunFromTheBeginningTakesThePlaceOfAllPoints) {
  for (const double loss : {1, 2}) {
    TensorboardRecorder curves = recorder();
    StepReport report = values_of(2);
    report.loss = loss;
    curves.on_step(report);
  }
  EXPECT_EQ(event_files_in(folder_ / "curves").size(), 2u);
  EXPECT_EQ(curves_in(folder_ / "curves").at("training/loss"), (Points{{3, 2}}));
}

TEST_F(TensorboardRecorderTest, OneWarningWhereADiskIsFull) {
  TensorboardRecorder curves = recorder();
  const auto train = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t step = begin; step < end; ++step) curves.on_step(values_of(step));
  };
  {
    const FileSizeLimit full(50);
    train(0, 6);
  }
  EXPECT_TRUE(event_files_in(folder_ / "curves").empty());
  train(6, 9);
  {
    const FileSizeLimit full(std::filesystem::file_size(event_files_in(folder_ / "curves").at(0)) + 9);
    train(9, 12);
  }
  train(12, 15);
  ASSERT_EQ(observer_.warnings.size(), 1u);
  EXPECT_TRUE(says(observer_.warnings[0], "curves for TensorBoard are lost: cannot write "));
  EXPECT_EQ(observer_.steps.size(), 15u);
  EXPECT_EQ(curves_in(folder_ / "curves").at("training/loss"), (Points{{9, 7}, {15, 13}}));
}

TEST_F(TensorboardRecorderTest, AFileInTheWayIsLeftAsItIs) {
  write_bytes(folder_ / "curves", "mine");
  TensorboardRecorder curves = recorder();
  curves.on_step(values_of(2));
  EXPECT_EQ(observer_.warnings.size(), 1u);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "curves"), 4u);
}

TEST_F(TensorboardRecorderTest, WritesNothingWithoutAFolder) {
  TensorboardRecorder curves(observer_, "");
  curves.on_resumed(resumed_after(3), total);
  for (std::int64_t step = 3; step < 7; ++step) curves.on_step(values_of(step));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_EQ(observer_.steps.size(), 4u);
  EXPECT_TRUE(observer_.warnings.empty());
}

}  // namespace
}  // namespace gausscse
