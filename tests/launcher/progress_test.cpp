#include "launcher/progress.hpp"

#include <chrono>
#include <regex>

#include "launcher/log.hpp"
#include "tests/launcher/ranked_communicator.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the text on standard error while `action` runs, with the log set up as on rank 0.
template <typename Action>
std::string told(Verbosity verbosity, const Action& action) {
  testing::internal::CaptureStderr();
  start_log(RankedCommunicator(0, 1), verbosity);
  action();
  return testing::internal::GetCapturedStderr();
}

StepReport report(std::int64_t step, std::int64_t total, double rate, double loss, double seconds = 0) {
  return {.step = step,
          .total_steps = total,
          .loss = loss,
          .learning_rate = 2.5e-5,
          .gradient_norm = 0,
          .seconds = seconds,
          .examples_per_second = rate,
          .tokens_per_second = 0};
}

TEST(ReadableDuration, HasTwoUnitsAtMost) {
  EXPECT_EQ(readable_duration(0), "0s");
  EXPECT_EQ(readable_duration(-5), "0s");
  EXPECT_EQ(readable_duration(0.4), "0s");
  EXPECT_EQ(readable_duration(0.5), "1s");
  EXPECT_EQ(readable_duration(59.4), "59s");
  EXPECT_EQ(readable_duration(59.5), "1m00s");
  EXPECT_EQ(readable_duration(190), "3m10s");
  EXPECT_EQ(readable_duration(3599), "59m59s");
  EXPECT_EQ(readable_duration(3600), "1h00m");
  EXPECT_EQ(readable_duration(7530), "2h05m");
  EXPECT_EQ(readable_duration(100 * 3600.0), "100h00m");
}

/// In a job's log: a line with time and level at the first step, none at those right after it, and one at the last.
TEST(Progress, TellsPlainLinesInALog) {
  const std::string text = told(Verbosity::notes, [] {
    Progress progress(true, false);
    progress.on_step(report(0, 5, 100, 3.25, 2));
    for (std::int64_t step = 1; step < 5; ++step) progress.on_step(report(step, 5, 200, 2.5));
  });
  EXPECT_TRUE(std::regex_match(
      text,
      std::regex(
          R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: step 1/5  100 examples/s  8s left  loss 3\.2500  learning rate 2\.5e-05
\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: step 5/5  134 examples/s  0s left  loss 2\.5000  learning rate 2\.5e-05
)"))) << text;
}

/// After a restart the rate and the time left are those of the steps that this process saw.
TEST(Progress, CountsFromTheFirstStepItSees) {
  const std::string text = told(Verbosity::notes, [] { Progress(true, false).on_step(report(40, 100, 50, 1.5, 3)); });
  EXPECT_TRUE(says(text, "info: step 41/100  50 examples/s  2m57s left  loss 1.5000  learning rate 2.5e-05\n"));
}

/// Steps of four seconds after the first, which took nine. A log has a line every half minute: at steps 1 and 9.
TEST(Progress, TimeLeftIsThatOfTheStepsAfterTheFirst) {
  StatusLine::Clock::time_point time{std::chrono::hours(1)};
  const std::string text = told(Verbosity::notes, [&] {
    Progress progress(true, false, [&] { return time; });
    for (std::int64_t step = 0; step <= 10; ++step) {
      progress.on_step(report(step, 20, 50, 1.5, 9));
      time += std::chrono::seconds(4);
    }
  });
  EXPECT_TRUE(says(text, "info: step 9/20  50 examples/s  44s left"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST(Progress, DrawsOneLineAgainOnATerminalAndErasesItBeforeNotes) {
  const std::string text = told(Verbosity::notes, [] {
    Progress progress(true, true);
    progress.on_step(report(0, 3, 10, 3, 1));
    progress.on_note("a note");
    progress.on_step(report(2, 3, 10, 2));
  });
  const std::string erase = "\r\033[K";
  EXPECT_EQ(text.find(erase + "step 1/3  10 examples/s  2s left  loss 3.0000  learning rate 2.5e-05" + erase), 0u)
      << text;
  EXPECT_TRUE(says(text, " info: a note\n" + erase +
                             "step 3/3  10 examples/s  0s left  loss 2.0000  learning rate 2.5e-05" + erase));
}

/// Standard error is no terminal here, which counts as one of 80 columns; the last column stays free.
TEST(Progress, DrawsNoLineThatIsWiderThanATerminal) {
  const std::string text = told(Verbosity::notes, [] {
    Measurement dev;
    dev.task = "development-set";
    dev.metrics = {{"auprc", 0.5}};
    Progress progress(true, true);
    progress.on_measurement(0, dev, nullptr, false);
    progress.on_step(report(0, 30'001, 1000, 3, 0.5));
  });
  const std::string line = "step 1/30001  1000 examples/s  4h10m left  loss 3.0000  development-set auprc 0";
  ASSERT_EQ(line.size(), 79u);
  EXPECT_TRUE(says(text, "\r\033[K" + line + "\r\033[K"));
}

/// There are 1000 lines: 100 in two seconds, 50 of them reported in the next; 800 after 80 seconds, the last after 100.
TEST(EmbeddingProgress, TellsTheRateSinceTheBeginningAndTheTimeLeftAtIt) {
  StatusLine::Clock::time_point time{std::chrono::hours(1)};
  const std::string text = told(Verbosity::notes, [&] {
    EmbeddingProgress progress(true, false, 1000, [&] { return time; });
    const auto pass = [&](int seconds, std::size_t lines_done) {
      time += std::chrono::seconds(seconds);
      progress.on_block(lines_done);
    };
    pass(2, 100);
    pass(1, 150);
    pass(77, 800);
    pass(20, 1000);
  });
  EXPECT_TRUE(
      std::regex_match(text, std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: 100/1000 lines  50 lines/s  18s left
\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: 800/1000 lines  10 lines/s  20s left
\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: 1000/1000 lines  10 lines/s  0s left
)"))) << text;
}

TEST(EmbeddingProgress, CountsInTheGivenUnit) {
  StatusLine::Clock::time_point time{std::chrono::hours(1)};
  const std::string text = told(Verbosity::notes, [&] {
    EmbeddingProgress progress(
        true, false, 30, [&] { return time; }, "rows");
    time += std::chrono::seconds(5);
    progress.on_block(10);
  });
  EXPECT_TRUE(says(text, "info: 10/30 rows  2 rows/s  10s left\n"));
}

TEST(EmbeddingProgress, IsDrawnOnATerminalAndShownByOneRankAlone) {
  StatusLine::Clock::time_point time{std::chrono::hours(1)};
  const auto tell = [&](bool shown) {
    return told(Verbosity::notes, [&] {
      EmbeddingProgress progress(shown, true, 8, [&] { return time; });
      time += std::chrono::seconds(2);
      progress.on_block(4);
    });
  };
  EXPECT_EQ(tell(true), "\r\033[K4/8 lines  2 lines/s  2s left\r\033[K");
  EXPECT_EQ(tell(false), "");
}

/// The time begins with the first report, and the steps have a line of their own.
TEST(Progress, ShowsTheSentencesThatAreEmbeddedBeforeTheFirstStep) {
  StatusLine::Clock::time_point time{std::chrono::hours(1)};
  const std::string text = told(Verbosity::notes, [&] {
    Progress progress(true, false, [&] { return time; });
    for (const auto& [seconds, done] : {std::pair(100, 0), {4, 100}, {1, 150}, {45, 500}, {50, 1000}}) {
      time += std::chrono::seconds(seconds);
      progress.on_embedded(static_cast<std::size_t>(done), 1000);
    }
    progress.on_step(report(0, 5, 100, 3.25, 2));
  });
  EXPECT_TRUE(std::regex_match(
      text, std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info: 100/1000 sentences  25 sentences/s  36s left
.* info: 500/1000 sentences  10 sentences/s  50s left
.* info: 1000/1000 sentences  10 sentences/s  0s left
.* info: step 1/5  100 examples/s .*
)"))) << text;
  const auto on_terminal = [&](bool shown) {
    return told(Verbosity::notes, [&] {
      Progress progress(shown, true, [&] { return time; });
      progress.on_embedded(0, 8);
      time += std::chrono::seconds(2);
      progress.on_embedded(4, 8);
      time += std::chrono::seconds(2);
      progress.on_embedded(8, 8);
    });
  };
  const std::string erase = "\r\033[K";
  EXPECT_EQ(on_terminal(true),
            erase + "4/8 sentences  2 sentences/s  2s left" + erase + "8/8 sentences  2 sentences/s  0s left" + erase);
  EXPECT_EQ(on_terminal(false), "");
}

/// Counts, metrics of parts and missing metrics are left out.
Measurement dev_measurement() {
  Measurement dev;
  dev.task = "dev";
  dev.kind = "nli";
  dev.metrics = {
      {"pairs", 10, Unit::count}, {"accuracy", 0.75},   {"threshold", 0.5, Unit::number},
      {"auprc", 0.8125},          {"auprc.part", 0.25}, {"direction_sim", std::numeric_limits<double>::quiet_NaN()},
      {"direction_length", 0.375}};
  return dev;
}

TEST(Progress, TellsMetricsOfATaskAndShowsTheOneThatSelects) {
  const Measurement dev = dev_measurement();
  Measurement other = dev;
  other.task = "other";
  const std::string text = told(Verbosity::notes, [&] {
    Progress progress(true, false);
    progress.on_measurement(100, dev, &dev.metrics[3], true);
    progress.on_measurement(200, dev, &dev.metrics[3], false);
    progress.on_measurement(200, other, nullptr, false);
    progress.on_step(report(200, 1000, 64, 1, 0));
  });
  for (const char* line : {"info: dev after 100 steps: accuracy 0.7500, threshold 0.5000, auprc 0.8125, "
                           "direction_length 0.3750 (best)\n",
                           "info: dev after 200 steps: accuracy 0.7500, threshold 0.5000, auprc 0.8125, "
                           "direction_length 0.3750\n",
                           "info: other after 200 steps: accuracy 0.7500, "})
    EXPECT_TRUE(says(text, line));
  EXPECT_TRUE(
      says(text, "step 201/1000  64 examples/s  0s left  loss 1.0000  dev auprc 0.8125  learning rate 2.5e-05\n"));
}

TEST(Progress, WithoutOneThatSelectsItShowsTheFirstMetricOfTheLastMeasurement) {
  const Measurement dev = dev_measurement();
  Measurement other = dev;
  other.task = "other";
  other.metrics = {{"spearman", 0.125}, {"pearson", 0.25}};
  const std::string text = told(Verbosity::notes, [&] {
    Progress progress(true, false);
    progress.on_measurement(100, dev, nullptr, false);
    progress.on_measurement(100, other, nullptr, false);
    progress.on_step(report(100, 1000, 64, 1, 0));
  });
  EXPECT_TRUE(says(text, "  loss 1.0000  other spearman 0.1250  learning rate 2.5e-05\n"));
}

/// Returns a measurement of one metric of a task.
Measurement measured(const char* task, const char* metric, double value) {
  return {task, "nli", false, {{"pairs", 10, Unit::count}, {metric, value}}, {}, ""};
}

/// One line an evaluation: the metric that selects, else the first one, next to the backbone's and the untrained
/// state's.
TEST(Progress, ShowsWhatAMetricWasBeforeTheTraining) {
  const StateResult backbone{backbone_state, 0, {measured("dev", "auprc", 0.6405), measured("other", "auprc", 0.5)}};
  const auto evaluate = [](Progress& progress, std::int64_t step, double auprc) {
    Measurement dev = measured("dev", "accuracy", 0.75);
    dev.metrics.push_back({"auprc", auprc});
    progress.on_measurement(step, dev, &dev.metrics.back(), false);
    progress.on_measurement(step, measured("other", "accuracy", auprc / 2), nullptr, false);
  };
  const std::string text = told(Verbosity::notes, [&] {
    Progress progress(true, false);
    progress.on_backbone(backbone, PoolingKind::mean);
    evaluate(progress, 0, 0.6);
    evaluate(progress, 20, 0.586);
  });
  const std::string second =
                        "dev after 20 steps: accuracy 0.7500, auprc 0.5860; auprc: backbone 0.6405, at step 0 0.6000, "
                        "now 0.5860\n",
                    of_other = "other after 20 steps: accuracy 0.2930; accuracy: at step 0 0.3000, now 0.2930\n";
  for (const std::string& line : {std::string("backbone, pooling mean, cosine: dev: auprc 0.6405\n"),
                                  std::string("dev after 0 steps: accuracy 0.7500, auprc 0.6000; auprc: backbone "
                                              "0.6405, at step 0 0.6000\n"),
                                  second, of_other})
    EXPECT_TRUE(says(text, line));
  // So it is where a training goes on from a checkpoint.
  RunResult done;
  done.states = {backbone};
  done.curves = {{"dev", {0, 10}, {{"auprc", Unit::fraction, {0.6, 0.7}}}},
                 {"other", {0, 10}, {{"accuracy", Unit::fraction, {0.3, 0.7}}}},
                 {"late", {10}, {{"accuracy", Unit::fraction, {0.3}}}}};
  const std::string resumed = told(Verbosity::notes, [&] {
    Progress progress(true, false);
    progress.on_resumed(done, 40);
    evaluate(progress, 20, 0.586);
    progress.on_measurement(20, measured("late", "accuracy", 0.25), nullptr, false);
  });
  for (const std::string& line : {second, of_other, std::string("late after 20 steps: accuracy 0.2500\n")})
    EXPECT_TRUE(says(resumed, line));
}

/// A task of many metrics fills no screen.
TEST(Progress, TellsSixMetricsAtMost) {
  Measurement many;
  many.task = "many";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) many.metrics.push_back({name, 0.5});
  const std::string text =
      told(Verbosity::notes, [&] { Progress(true, false).on_measurement(0, many, nullptr, false); });
  EXPECT_TRUE(says(text, "many after 0 steps: a 0.5000, b 0.5000, c 0.5000, d 0.5000, e 0.5000, f 0.5000\n"));
}

TEST(Progress, ShowsNoStepsWhereItIsNotToBeShown) {
  const std::string text = told(Verbosity::notes, [] {
    Progress progress(false, true);
    progress.on_step(report(0, 1, 10, 3, 1));
  });
  EXPECT_EQ(text, "");
}

/// One text at each level.
void tell_all(const Communicator& communicator, Verbosity verbosity) {
  start_log(communicator, verbosity);
  Progress progress(true, false);
  progress.on_detail("a detail");
  progress.on_note("a note");
  progress.on_warning("a warning");
}

std::string levels(int rank, int ranks, Verbosity verbosity) {
  testing::internal::CaptureStderr();
  tell_all(RankedCommunicator(rank, ranks), verbosity);
  return std::regex_replace(testing::internal::GetCapturedStderr(), std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"),
                            "T");
}

TEST(Log, TellsAsMuchAsIsAskedFor) {
  EXPECT_EQ(levels(0, 1, Verbosity::errors), "");
  EXPECT_EQ(levels(0, 1, Verbosity::notes), "T info: a note\nT warning: a warning\n");
  EXPECT_EQ(levels(0, 1, Verbosity::details), "T debug: a detail\nT info: a note\nT warning: a warning\n");
}

TEST(Log, NamesTheRankInEachLineAndLetsOthersTellErrorsOnly) {
  EXPECT_EQ(levels(0, 3, Verbosity::notes), "T rank 0 info: a note\nT rank 0 warning: a warning\n");
  EXPECT_EQ(levels(0, 11, Verbosity::notes), "T rank 00 info: a note\nT rank 00 warning: a warning\n");
  for (const Verbosity verbosity : {Verbosity::errors, Verbosity::notes, Verbosity::details})
    EXPECT_EQ(levels(2, 3, verbosity), "");
}

}  // namespace
}  // namespace gausscse
