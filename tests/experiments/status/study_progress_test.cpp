#include "experiments/status/study_progress.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::string>;

RunningTrial trial_at(const std::string& title, std::int64_t step, double rate = 64, double left = 190) {
  return {title, 12, TrainingProgress{TrainingPhase::training, step, 2000, rate, left}};
}

TEST(PositionText, TellsWhatATrainingDoes) {
  RunningTrial trial{"a", 75, std::nullopt};
  EXPECT_EQ(position_text(trial), "preparing  1m15s");
  trial.progress = TrainingProgress{TrainingPhase::preparing, 0, 0, 0, 0};
  EXPECT_EQ(position_text(trial), "preparing  1m15s");
  trial.progress = TrainingProgress{TrainingPhase::finishing, 2000, 2000, 64, 0};
  EXPECT_EQ(position_text(trial), "step 2000/2000  finishing");
  EXPECT_EQ(position_text(trial_at("a", 120)), "step 120/2000  64.0 examples/s  3m10s left");
  EXPECT_EQ(position_text(trial_at("a", 1, 640.4)), "step 1/2000  640 examples/s  3m10s left");
  EXPECT_EQ(position_text(trial_at("a", 1, 6.404)), "step 1/2000  6.40 examples/s  3m10s left");
  EXPECT_EQ(position_text(trial_at("a", 1, NAN, NAN)), "step 1/2000");
}

TEST(StudyText, LeavesOutWhatIsNone) {
  StudyCounts counts{.done = 3, .failed = 1, .running = 2, .elsewhere = 4, .left = 5, .seconds_left = 7500};
  EXPECT_EQ(study_text(counts), "3 of 15 trials done, 1 failed, 2 running, 4 on other workers, 5 to do; 2h05m left");
  counts.seconds_left = std::nullopt;
  counts.failed = 0;
  counts.elsewhere = 0;
  EXPECT_EQ(study_text(counts), "3 of 10 trials done, 2 running, 5 to do");
  EXPECT_EQ(study_text({.done = 1, .failed = 0, .running = 0, .elsewhere = 0, .left = 0, .seconds_left = 0}),
            "1 of 1 trial done");
}

TEST(TrialTexts, TellOfBeginAndEnd) {
  EXPECT_EQ(begun_text("final ent seed 3"), "final ent seed 3 begins");
  EXPECT_EQ(done_text("final ent seed 3", 190, "dev.auprc 0.8125"),
            "final ent seed 3 is done after 3m10s: dev.auprc 0.8125");
  EXPECT_EQ(done_text("final ent seed 3", 190, ""), "final ent seed 3 is done after 3m10s");
  EXPECT_EQ(failed_text("final ent seed 3", 12, "exit code 2"), "final ent seed 3 has failed after 12s: exit code 2");
}

StudyCounts two_running() {
  return {.done = 1, .failed = 0, .running = 2, .elsewhere = 0, .left = 7, .seconds_left = std::nullopt};
}

TEST(StudyLines, StandInColumns) {
  const std::vector<RunningTrial> running = {trial_at("final ent seed 3", 5), {"ch\u00e4 1", 3, std::nullopt}};
  EXPECT_EQ(study_lines(running, two_running(), {100, 24}),
            (Lines{"final ent seed 3  step 5/2000  64.0 examples/s  3m10s left", "ch\u00e4 1             preparing  3s",
                   "1 of 10 trials done, 2 running, 7 to do"}));
  EXPECT_EQ(study_lines({}, {}, {100, 24}), Lines{"0 of 0 trials done"});
}

/// Of 60 columns 59 are used: 40 for the position, two between.
TEST(StudyLines, CutTitlesFirst) {
  EXPECT_EQ(study_lines({trial_at("a-long-title-of-a-trial with seed 3", 5)}, two_running(), {60, 24})[0],
            "a-long-title-of-a  step 5/2000  64.0 examples/s  3m10s left");
  EXPECT_EQ(study_lines({trial_at("a-long-title-of-a-trial with seed 3", 5)}, two_running(), {21, 24}),
            (Lines{"a-long-t  step 5/200", "1 of 10 trials done,"}));
  EXPECT_EQ(study_lines({}, two_running(), {1, 24}), Lines{"1"});
}

TEST(StudyLines, CutCharactersNotBytesAndShowNoControl) {
  EXPECT_EQ(
      study_lines({{"\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4", 3, std::nullopt}}, {}, {13, 24})[0],
      "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6  pr");
  EXPECT_EQ(study_lines({{"a\nb\033[2Jc\x7f", 3, std::nullopt}}, {}, {80, 24})[0],
            "a\\nb\\u{1B}[2Jc\\u{7F}  preparing  3s");
}

TEST(StudyLines, LeaveOutTrialsOnALowTerminal) {
  const std::vector<RunningTrial> running(5, RunningTrial{"a", 3, std::nullopt});
  EXPECT_EQ(study_lines(running, {}, {80, 7}).size(), 6u);
  EXPECT_EQ(study_lines(running, {}, {80, 6}),
            (Lines{"a  preparing  3s", "a  preparing  3s", "a  preparing  3s", "and 2 more", "0 of 0 trials done"}));
  EXPECT_EQ(study_lines(running, {}, {80, 1}), (Lines{"and 5 more", "0 of 0 trials done"}));
}

TEST(StudyDrawing, IsErasedWhereItWasDrawn) {
  EXPECT_EQ(drawing_of({"one", "two"}), "\r\033[Kone\n\r\033[Ktwo");
  EXPECT_EQ(erasure_of({"one", "two"}, {80, 24}), "\r\033[1A\033[J");
  EXPECT_EQ(erasure_of({"one"}, {80, 24}), "\r\033[J");
  EXPECT_EQ(erasure_of({}, {80, 24}), "");
}

TEST(StudyDrawing, TakesMoreRowsOnATerminalThatBecameNarrower) {
  const Lines lines = {std::string(20, 'a'), std::string(21, 'b'), "", "\u00e4\u00e4"};
  EXPECT_EQ(erasure_of(lines, {20, 24}), "\r\033[4A\033[J");
  EXPECT_EQ(erasure_of(lines, {7, 24}), "\r\033[7A\033[J");
  EXPECT_EQ(erasure_of(lines, {2, 9}), "\r\033[8A\033[J") << "not beyond the first row";
}

class StudyProgressTest : public testing::Test {
 protected:
  StudyProgressOutput output(bool terminal) {
    return {.terminal = terminal,
            .log = [this](const std::string& text) { told_ += "[" + text + "]"; },
            .draw = [this](const std::string& text) { told_ += text; },
            .size = [this] { return size_; }};
  }
  StudyProgress::Now clock() {
    return [this] { return time_; };
  }
  std::string take() {
    std::string told;
    told.swap(told_);
    return told;
  }

  std::string told_;
  TerminalSize size_{80, 24};
  StudyProgress::Clock::time_point time_{};
};

TEST_F(StudyProgressTest, TellsALogALineEveryHalfMinute) {
  StudyProgress progress(true, output(false), clock());
  EXPECT_TRUE(progress.due());
  progress.show({trial_at("a", 5)}, two_running());
  EXPECT_EQ(take(), "[1 of 10 trials done, 2 running, 7 to do]");
  time_ += std::chrono::milliseconds(29999);
  EXPECT_FALSE(progress.due());
  progress.tell("a begins");
  EXPECT_EQ(take(), "[a begins]");
  time_ += std::chrono::milliseconds(1);
  EXPECT_TRUE(progress.due());
  progress.show({}, two_running());
  EXPECT_FALSE(progress.due());
}

TEST_F(StudyProgressTest, DrawsAgainInPlaceOnATerminal) {
  {
    StudyProgress progress(true, output(true), clock());
    progress.show({{"a", 3, std::nullopt}}, two_running());
    const std::string drawn = "\r\033[Ka  preparing  3s\n\r\033[K1 of 10 trials done, 2 running, 7 to do";
    EXPECT_EQ(take(), drawn);
    time_ += std::chrono::milliseconds(499);
    EXPECT_FALSE(progress.due());
    time_ += std::chrono::milliseconds(1);
    EXPECT_TRUE(progress.due());
    progress.tell("b begins");
    EXPECT_EQ(take(), "\r\033[1A\033[J[b begins]" + drawn);
    size_.columns = 30;
    progress.show({}, two_running());
    EXPECT_EQ(take(), "\r\033[2A\033[J\r\033[K1 of 10 trials done, 2 runnin");
    progress.erase();
    EXPECT_EQ(take(), "\r\033[J");
    progress.tell("c begins");
    EXPECT_EQ(take(), "[c begins]");
    progress.show({}, {});
    take();
  }
  EXPECT_EQ(take(), "\r\033[J");
}

TEST_F(StudyProgressTest, OfAWorkerHasWhatItsTrialsTell) {
  const testing_support::TemporaryFolder folder;
  write_progress(folder / "progress.json", {TrainingPhase::training, 5, 2000, 64, 190});
  StudyProgress progress(true, output(true), clock());
  ShownWorker worker(
      progress, [&](const std::string& text) { told_ += "[note " + text + "]"; },
      [&](const std::string& text) { told_ += "[warning " + text + "]"; });
  WorkerProgress state{
      .trials = 20, .done = 3, .failed = 1, .here = 2, .elsewhere = 4, .running = {}, .seconds_left = {}};
  state.running = {{"a", folder.path(), 75}, {"b", folder / "none", 75}};
  worker.on_progress(state);
  const std::string drawn =
      "\r\033[Ka  step 5/2000  64.0 examples/s  3m10s left\n\r\033[Kb  preparing  1m15s\n"
      "\r\033[K3 of 20 trials done, 1 failed, 2 running, 4 on other workers, 10 to do";
  EXPECT_EQ(take(), drawn);
  worker.on_progress(state);
  EXPECT_EQ(take(), "") << "not due";
  worker.on_note("x");
  EXPECT_EQ(take(), "\r\033[2A\033[J[note x]" + drawn);
  worker.on_warning("y");
  EXPECT_EQ(take(), "\r\033[2A\033[J[warning y]" + drawn);
  time_ += std::chrono::seconds(1);
  state.trials = 5;
  worker.on_progress(state);
  EXPECT_NE(take().find("3 of 10 trials done"), std::string::npos) << "a plan that became smaller";
}

TEST_F(StudyProgressTest, ShowsNothingWhereItIsToBeQuiet) {
  StudyProgress progress(false, output(true), clock());
  EXPECT_FALSE(progress.due());
  progress.show({trial_at("a", 5)}, two_running());
  progress.erase();
  EXPECT_EQ(take(), "");
}

}  // namespace
}  // namespace gausscse
