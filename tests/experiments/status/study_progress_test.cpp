#include "experiments/status/study_progress.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::string>;
using Running = WorkerProgress::Running;

TrainingProgress training_at(std::int64_t step, double rate = 64, double left = 190) {
  return {TrainingPhase::training, step, 2000, rate, left};
}

/// A study of ten trials, of which one is done and these run.
WorkerProgress of_ten(std::vector<Running> running) {
  return {.trials = 10, .done = 1, .here = 2, .running = std::move(running), .seconds_left = {}};
}

Running preparing(const std::string& title) {
  return {title, "", 3};
}

TEST(PositionText, SaysWhatATrainingDoes) {
  EXPECT_EQ(position_text(std::nullopt, 75), "preparing  1m15s");
  EXPECT_EQ(position_text(std::nullopt, std::nullopt), "preparing");
  EXPECT_EQ(position_text(TrainingProgress{TrainingPhase::preparing, 0, 0, 0, 0}, 75), "preparing  1m15s");
  EXPECT_EQ(position_text(TrainingProgress{TrainingPhase::finishing, 2000, 2000, 64, 0}, 75),
            "step 2000/2000  finishing");
  EXPECT_EQ(position_text(training_at(120), 75), "step 120/2000  64.0 examples/s  3m10s left");
  EXPECT_EQ(position_text(training_at(1, 640.4), 75), "step 1/2000  640 examples/s  3m10s left");
  EXPECT_EQ(position_text(training_at(1, 6.404), 75), "step 1/2000  6.40 examples/s  3m10s left");
  EXPECT_EQ(position_text(training_at(1, NAN, NAN), 75), "step 1/2000");
  TrainingProgress with_loss = training_at(120);
  with_loss.loss = 2.03125;
  EXPECT_EQ(position_text(with_loss, 75), "step 120/2000  64.0 examples/s  3m10s left  loss 2.0312");
}

TEST(StudyText, LeavesOutWhatIsNone) {
  WorkerProgress progress{
      .trials = 15, .done = 3, .failed = 1, .here = 2, .elsewhere = 4, .running = {}, .seconds_left = 7500};
  EXPECT_EQ(study_text(progress), "3 of 15 trials done, 1 failed, 2 running, 4 on other workers, 5 to do; 2h05m left");
  progress.trials = 5;
  EXPECT_EQ(study_text(progress), "3 of 10 trials done, 1 failed, 2 running, 4 on other workers; 2h05m left")
      << "a plan that became smaller";
  EXPECT_EQ(study_text(of_ten({})), "1 of 10 trials done, 2 running, 7 to do");
  EXPECT_EQ(study_text({.trials = 1, .done = 1, .running = {}, .seconds_left = 0}), "1 of 1 trial done");
}

TEST(StudyLines, StandInColumns) {
  EXPECT_EQ(study_lines(of_ten({{"final ent seed 3", "", 12, training_at(5)}, preparing("ch\u00e4 1")}), {100, 24}),
            (Lines{"final ent seed 3  step 5/2000  64.0 examples/s  3m10s left", "ch\u00e4 1             preparing  3s",
                   "1 of 10 trials done, 2 running, 7 to do"}));
  EXPECT_EQ(study_lines({}, {100, 24}), Lines{"0 of 0 trials done"});
}

/// The lines use 59 of 60 columns: 40 for the position, two between.
TEST(StudyLines, CutTitlesFirst) {
  const WorkerProgress progress = of_ten({{"a-long-title-of-a-trial with seed 3", "", 12, training_at(5)}});
  EXPECT_EQ(study_lines(progress, {60, 24})[0], "a-long-title-of-a  step 5/2000  64.0 examples/s  3m10s left");
  EXPECT_EQ(study_lines(progress, {21, 24}), (Lines{"a-long-t  step 5/200", "1 of 10 trials done,"}));
  EXPECT_EQ(study_lines(of_ten({}), {1, 24}), Lines{"1"});
}

TEST(StudyLines, CutCharactersNotBytesAndShowNoControl) {
  EXPECT_EQ(
      study_lines(of_ten({preparing("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4")}), {13, 24})[0],
      "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6  pr");
  EXPECT_EQ(study_lines(of_ten({preparing("a\nb\033[2Jc\x7f")}), {80, 24})[0],
            "a\\nb\\u{1B}[2Jc\\u{7F}  preparing  3s");
}

TEST(StudyLines, LeaveOutTrialsOnALowTerminal) {
  WorkerProgress progress;
  progress.running.assign(5, preparing("a"));
  const std::string trial = "a  preparing  3s";
  EXPECT_EQ(study_lines(progress, {80, 7}), (Lines{trial, trial, trial, trial, trial, "0 of 0 trials done"}))
      << "all of them just fit";
  EXPECT_EQ(study_lines(progress, {80, 6}),
            (Lines{"a  preparing  3s", "a  preparing  3s", "a  preparing  3s", "and 2 more", "0 of 0 trials done"}));
  EXPECT_EQ(study_lines(progress, {80, 1}), (Lines{"and 5 more", "0 of 0 trials done"}));
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
    const auto writes = [this](const std::string& begin, const std::string& end) {
      return [this, begin, end](const std::string& text) { written_ += begin + text + end; };
    };
    return {.terminal = terminal,
            .log = writes("[", "]"),
            .warn = writes("[warning ", "]"),
            .draw = writes("", ""),
            .size = [this] { return size_; }};
  }
  StudyProgress::Now clock() {
    return [this] { return time_; };
  }
  std::string take() { return std::exchange(written_, {}); }

  std::string written_;
  TerminalSize size_{80, 24};
  StudyProgress::Clock::time_point time_{};
};

TEST_F(StudyProgressTest, WritesALogALineEveryHalfMinute) {
  StudyProgress progress(true, output(false), clock());
  progress.on_progress(of_ten({preparing("a")}));
  EXPECT_EQ(take(), "[1 of 10 trials done, 2 running, 7 to do]");
  time_ += std::chrono::milliseconds(29999);
  progress.on_progress(of_ten({}));
  EXPECT_EQ(take(), "");
  progress.on_note("a begins");
  progress.on_warning("b fails");
  EXPECT_EQ(take(), "[a begins][warning b fails]");
  time_ += std::chrono::milliseconds(1);
  progress.on_progress(of_ten({}));
  EXPECT_EQ(take(), "[1 of 10 trials done, 2 running, 7 to do]");
}

TEST_F(StudyProgressTest, DrawsAgainInPlaceOnATerminal) {
  const TemporaryFolder folder;
  write_progress(folder / "progress.json", training_at(5));
  {
    StudyProgress progress(true, output(true), clock());
    const WorkerProgress state = of_ten({{"a", folder.path(), 75}, {"b", folder / "none", 75}});
    progress.on_progress(state);
    const std::string drawn =
        "\r\033[Ka  step 5/2000  64.0 examples/s  3m10s left\n\r\033[Kb  preparing  1m15s\n"
        "\r\033[K1 of 10 trials done, 2 running, 7 to do";
    EXPECT_EQ(take(), drawn);
    time_ += std::chrono::milliseconds(499);
    progress.on_progress(state);
    EXPECT_EQ(take(), "");
    progress.on_note("b begins");
    EXPECT_EQ(take(), "\r\033[2A\033[J[b begins]" + drawn);
    progress.on_warning("x");
    EXPECT_EQ(take(), "\r\033[2A\033[J[warning x]" + drawn);
    time_ += std::chrono::milliseconds(1);
    size_.columns = 30;
    progress.on_progress(of_ten({}));
    EXPECT_EQ(take(), "\r\033[4A\033[J\r\033[K1 of 10 trials done, 2 runnin");
  }
  EXPECT_EQ(take(), "\r\033[J");
}

TEST_F(StudyProgressTest, ShowsNothingWhereItIsToBeQuiet) {
  { StudyProgress(false, output(true), clock()).on_progress(of_ten({preparing("a")})); }
  EXPECT_EQ(take(), "");
}

}  // namespace
}  // namespace gausscse
