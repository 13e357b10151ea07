#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "base/process.hpp"
#include "results/result_file.hpp"
#include "results/training_reports.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"
#include "training/progress_recorder.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const TrainingProgress halfway{TrainingPhase::training, 50, 100, 64.5, 8.25};

TEST(ProgressText, IsOneLineOfJsonOfAFixedLength) {
  const std::string json = R"({"format":"gausscse-progress/1","step":50,"total_steps":100,"examples_per_second":64.5,)"
                           R"("seconds_left":8.25,"phase":"training"})";
  EXPECT_EQ(progress_text(halfway), json + std::string(255 - json.size(), ' ') + "\n");
  TrainingProgress extreme{TrainingPhase::finishing, std::numeric_limits<std::int64_t>::max(),
                           std::numeric_limits<std::int64_t>::max(), -1.2345678901234567e300, -1.2345678901234567e300};
  EXPECT_EQ(progress_text(extreme).size(), 256u);
  extreme.seconds_left = std::numeric_limits<double>::infinity();
  extreme.examples_per_second = 1 / 3.0;
  EXPECT_TRUE(says(progress_text(extreme), R"("examples_per_second":0.333,"seconds_left":null)"));
}

TEST(ProgressFile, SaysWhyCheckpointsAreLost) {
  const TemporaryFolder folder;
  const fs::path file = folder / "progress.json";
  write_progress(file, halfway);
  TrainingProgress lost = halfway;
  lost.checkpoint_problem = "the checkpoint of step 12 is lost: \"No space\"";
  lost.checkpoints_lost_since = 1769860800;
  write_progress(file, lost);
  EXPECT_TRUE(says(read_whole_file(file, 2000),
                   R"("phase":"training","checkpoints_lost_since":"2026-01-31T12:00:00Z",)"
                   R"("checkpoint_problem":"the checkpoint of step 12 is lost: \"No space\""})"));
  EXPECT_EQ(fs::file_size(file), 1024u);
  EXPECT_EQ(read_progress(file), lost);
  write_progress(file, halfway);
  EXPECT_EQ(read_progress(file), halfway) << "nothing of the longer one is left";
  lost.checkpoint_problem = std::string(5000, 'x');
  write_progress(file, lost);
  EXPECT_EQ(read_progress(file)->checkpoint_problem, std::string(625, 'x'));
}

TEST(ProgressFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const fs::path file = folder / "progress.json";
  EXPECT_EQ(read_progress(file), std::nullopt);
  write_progress(file, {TrainingPhase::finishing, 1234567890, 1234567890, 123456.789, 1234567.125});
  write_progress(file, halfway);
  EXPECT_EQ(read_whole_file(file, 1000), progress_text(halfway));
  EXPECT_EQ(read_progress(file), halfway);
}

TEST(ProgressFile, HasTheLossWithFourDecimals) {
  const TemporaryFolder folder;
  const fs::path file = folder / "progress.json";
  TrainingProgress progress = halfway;
  progress.loss = 2.03126;
  write_progress(file, progress);
  EXPECT_EQ(fs::file_size(file), 256u);
  EXPECT_TRUE(says(read_whole_file(file, 1000), R"("phase":"training","loss":2.0313} )"));
  EXPECT_EQ(read_progress(file)->loss, 2.0313);
  progress.checkpoint_problem = "lost";
  EXPECT_TRUE(says(progress_text(progress), R"("phase":"training","loss":2.0313,"checkpoints_lost_since":)"));
  progress = {TrainingPhase::finishing, std::numeric_limits<std::int64_t>::max(),
              std::numeric_limits<std::int64_t>::max(), -1.2345678901234567e300, -1.2345678901234567e300};
  progress.loss = -1.2345678901234567e300;
  EXPECT_EQ(progress_text(progress).size(), 256u);
}

TEST(ProgressFile, WhatIsNoneIsNotRead) {
  const TemporaryFolder folder;
  const fs::path file = folder / "progress.json";
  const std::string whole = progress_text(halfway);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), whole.substr(0, 60), std::string("[1]"), std::string("{}"), changed("progress/1", "progress/2"),
        changed("training", "sleeping"), changed("50", "\"\"")}) {
    write_bytes(file, text);
    EXPECT_EQ(read_progress(file), std::nullopt) << text;
  }
}

TEST(ProgressFile, NothingElseIsWrittenOver) {
  const TemporaryFolder folder;
  const fs::path file = folder / "progress.json";
  const auto answer = [&](const fs::path& path) {
    return refusal_of([&] { check_progress_file("--progress", path, {}); });
  };
  EXPECT_EQ(answer(file), "accepted");
  EXPECT_TRUE(says(answer(folder / "none/progress.json"), "there is no folder"));
  EXPECT_TRUE(says(answer("/proc/progress.json"), "--progress /proc/progress.json cannot be written"));
  write_progress(file, halfway);
  EXPECT_EQ(answer(file), "accepted");
  const std::vector<InputPath> inputs = {{"the trial", file}};
  EXPECT_TRUE(says(refusal_of([&] { check_progress_file("--progress", file, inputs); }),
                   "is the file that is read as the trial"));
  for (const char* mine : {"mine\n", ""}) {
    write_bytes(file, mine);
    EXPECT_EQ(answer(file), concat("--progress ", file.string(),
                                   " is there already and is no progress file of gausscse: give another path"));
  }
  EXPECT_TRUE(says(answer(folder.path()), "is a folder"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(says(answer(folder / "pipe"), "is a pipe, a device or the like"));
}

/// Observer that keeps its reports.
class KeepingObserver : public TrainingObserver {
 public:
  void on_outputs_checked() override { told.push_back("outputs"); }
  void on_detail(const std::string& text) override { told.push_back("detail: " + text); }
  void on_note(const std::string& text) override { told.push_back("note: " + text); }
  void on_warning(const std::string& text) override { told.push_back("warning: " + text); }
  void on_step(const StepReport& report) override { told.push_back(concat("step ", report.step)); }
  void on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting, bool best) override {
    told.push_back(concat(measurement.task, " ", step, selecting ? " selects" : "", best ? " best" : ""));
  }
  std::vector<std::string> told;
};

StepReport step_report(std::int64_t step, double rate, double seconds = 0) {
  StepReport report;
  report.step = step;
  report.total_steps = 20;
  report.seconds = seconds;
  report.examples_per_second = rate;
  report.loss = static_cast<double>(step) / 8;
  return report;
}

/// Returns such a progress with a loss.
TrainingProgress at(TrainingProgress progress, double loss) {
  progress.loss = loss;
  return progress;
}

class ProgressRecorderTest : public testing::Test {
 protected:
  ProgressRecorder::Now clock() {
    return [this] { return time_; };
  }
  void pass(double seconds) {
    time_ += std::chrono::duration_cast<ProgressRecorder::Clock::duration>(std::chrono::duration<double>(seconds));
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "progress.json";
  KeepingObserver observer_;
  ProgressRecorder::Clock::time_point time_{std::chrono::hours(1)};
};

TEST_F(ProgressRecorderTest, WritesAtOnceThenOnceASecondAndAtTheLastStep) {
  ProgressRecorder recorder(observer_, file_, clock());
  EXPECT_FALSE(fs::exists(file_)) << "nobody has looked yet whether that is well";
  recorder.on_outputs_checked();
  EXPECT_EQ(read_progress(file_), (TrainingProgress{TrainingPhase::preparing, 0, 0, 0, 0}));
  recorder.on_step(step_report(10, 100, 3));
  EXPECT_EQ(read_progress(file_), (at({TrainingPhase::training, 11, 20, 100, 27}, 1.25)));
  pass(0.875);
  recorder.on_step(step_report(11, 200));
  EXPECT_EQ(read_progress(file_)->step, 11) << "too soon";
  pass(0.125);
  recorder.on_step(step_report(12, 100));
  // Two steps in a second: 0.9 (0.9 * 100 + 0.1 * 200) + 0.1 * 100 examples a second, and 7 steps left.
  EXPECT_EQ(read_progress(file_), (at({TrainingPhase::training, 13, 20, 109, 3.5}, 1.5)));
  recorder.on_step(step_report(18, 109));
  EXPECT_EQ(read_progress(file_)->step, 13) << "too soon";
  recorder.on_step(step_report(19, 109));
  EXPECT_EQ(read_progress(file_), (at({TrainingPhase::finishing, 20, 20, 109, 0}, 2.375)));
}

TEST_F(ProgressRecorderTest, HasNoTimeLeftAfterAnEarlyEnd) {
  ProgressRecorder recorder(observer_, file_, clock());
  recorder.on_outputs_checked();
  recorder.on_step(step_report(10, 100, 3));
  recorder.on_early_end("after step 11 of 20");
  EXPECT_EQ(read_progress(file_), (at({TrainingPhase::finishing, 11, 20, 100, 0}, 1.25)));
  EXPECT_EQ(observer_.told.back(), "note: the training ends early after step 11 of 20");
}

TEST_F(ProgressRecorderTest, PassesAllOn) {
  ProgressRecorder recorder(observer_, file_, clock());
  Measurement dev;
  dev.task = "dev";
  dev.metrics = {{"auprc", 0.5}};
  recorder.on_outputs_checked();
  recorder.on_detail("a");
  recorder.on_note("b");
  recorder.on_warning("c");
  recorder.on_step(step_report(3, 1));
  recorder.on_measurement(4, dev, &dev.metrics[0], true);
  recorder.on_measurement(5, dev, nullptr, false);
  EXPECT_EQ(observer_.told, (std::vector<std::string>{"outputs", "detail: a", "note: b", "warning: c", "step 3",
                                                      "dev 4 selects best", "dev 5"}));
}

/// While data are read, or models measured, there are no steps.
TEST_F(ProgressRecorderTest, IsWrittenAgainWhereWorkWasDone) {
  ProgressRecorder recorder(observer_, file_, clock());
  const auto is_renewed = [&] {
    fs::remove(file_);
    recorder.renew();
    return fs::exists(file_);
  };
  count_work();
  EXPECT_FALSE(is_renewed()) << "nobody has looked yet whether that is well";
  recorder.on_outputs_checked();
  EXPECT_FALSE(is_renewed()) << "no work was done";
  count_work();
  EXPECT_TRUE(is_renewed());
  EXPECT_FALSE(is_renewed()) << "its own writing is none";
  count_work();
  EXPECT_TRUE(is_renewed());
  // Reading is work, too.
  EXPECT_EQ(read_progress(file_), (TrainingProgress{TrainingPhase::preparing, 0, 0, 0, 0}));
  recorder.on_step(step_report(10, 100, 3));
  EXPECT_FALSE(is_renewed());
  count_work();
  EXPECT_TRUE(is_renewed());
  EXPECT_EQ(read_progress(file_), (at({TrainingPhase::training, 11, 20, 100, 27}, 1.25)));
  EXPECT_EQ(observer_.told, (std::vector<std::string>{"outputs", "step 10"}));
}

TEST_F(ProgressRecorderTest, IsWrittenAgainByAThread) {
  ProgressRecorder recorder(observer_, file_, clock());
  recorder.on_outputs_checked();
  fs::remove(file_);
  const ProgressRenewal renewal(recorder, std::chrono::milliseconds(1));
  count_work();
  while (!fs::exists(file_)) std::this_thread::yield();
  EXPECT_EQ(observer_.told, std::vector<std::string>{"outputs"});
}

TEST_F(ProgressRecorderTest, SaysSinceWhenCheckpointsAreLost) {
  ProgressRecorder recorder(observer_, file_, clock());
  recorder.on_outputs_checked();
  recorder.on_checkpoint_state("");
  const auto before = static_cast<std::int64_t>(std::time(nullptr));
  recorder.on_checkpoint_state("first");
  const auto after = static_cast<std::int64_t>(std::time(nullptr));
  const std::int64_t since = read_progress(file_)->checkpoints_lost_since;
  EXPECT_EQ(read_progress(file_)->checkpoint_problem, "first");
  EXPECT_GE(since, before);
  EXPECT_LE(since, after);
  recorder.on_checkpoint_state("second");
  EXPECT_EQ(read_progress(file_)->checkpoint_problem, "second");
  EXPECT_EQ(read_progress(file_)->checkpoints_lost_since, since) << "of the first that is lost";
  recorder.on_checkpoint_state("");
  EXPECT_EQ(read_progress(file_), (TrainingProgress{TrainingPhase::preparing, 0, 0, 0, 0}));
}

TEST_F(ProgressRecorderTest, OneWarningWhereItCannotBeWritten) {
  ProgressRecorder recorder(observer_, folder_ / "none/progress.json", clock());
  recorder.on_outputs_checked();
  recorder.on_step(step_report(0, 1));
  ASSERT_EQ(observer_.told.size(), 3u);
  EXPECT_TRUE(says(observer_.told[1], "warning: the progress cannot be written: "));
  EXPECT_TRUE(says(observer_.told[1], "none: open: No such file or directory"));
  EXPECT_EQ(observer_.told[2], "step 0");
}

TEST_F(ProgressRecorderTest, WritesNothingWithoutAFile) {
  ProgressRecorder recorder(observer_, "", clock());
  recorder.on_outputs_checked();
  recorder.on_step(step_report(0, 1));
  EXPECT_EQ(observer_.told, (std::vector<std::string>{"outputs", "step 0"}));
}

class TrainProgress : public TinyProjectTest {
 protected:
  std::vector<std::string> arguments_with(const std::string& progress) const {
    return with(train_arguments(project_, "", {"tasks.dev.eval_every=6"}), {"--progress", progress});
  }
};

/// Returns the content of --failure FILE after a training with these arguments.
TEST_F(TrainProgress, OfATrainingThatFailsEndsWithItsErrorAndKind) {
  const fs::path file = folder_ / "error.json";
  const auto report_of = [&](const std::vector<std::string>& overrides, const RunSettings& settings, int exit_code) {
    const auto run = run_program(with(train_arguments(project_, "", overrides), {"--failure", file}), settings);
    EXPECT_EQ(run.exit_code, exit_code) << run.errors;
    return read_error_report(file).value_or(ErrorReport{ErrorKind::internal, "none: " + run.errors});
  };
  ErrorReport report = report_of({"data.train=[none.jsonl]"}, {}, 2);
  EXPECT_EQ(report.kind, ErrorKind::input) << report.message;
  EXPECT_TRUE(says(report.message, "none.jsonl"));
  report = report_of({}, {.largest_file = 3000}, 2);
  EXPECT_EQ(report.kind, ErrorKind::write) << report.message;
  report = report_of({"training.learning_rate=1e30"}, {.ranks = 2}, 2);
  EXPECT_EQ(report.kind, ErrorKind::input) << report.message;
  EXPECT_TRUE(says(report.message, "training stopped at step"));
  // The trial is right, the machine lacks a GPU for it.
  report = report_of({"device=cuda"}, {}, 2);
  EXPECT_EQ(report.kind, ErrorKind::system) << report.message;
  write_bytes(file, "mine");
  run_expecting(2, with(train_arguments(project_), {"--failure", file}));
  EXPECT_EQ(read_whole_file(file, 100), "mine");
}

/// No file may grow so large as a checkpoint, which holds the weights three times at least.
TEST_F(TrainProgress, SaysThatCheckpointsAreLost) {
  const fs::path file = folder_ / "progress.json";
  run_expecting(0, train_arguments(project_, "whole", {}));
  const std::uintmax_t model = fs::file_size(folder_ / "whole/model/model.safetensors");
  const std::uintmax_t limit = std::max(model, fs::file_size(folder_ / "whole/result.h5")) + 4096;
  ASSERT_LT(limit, 3 * model);
  const auto run =
      run_program(with(train_arguments(project_, "lost", {"training.checkpoint_every=1"}), {"--progress", file}),
                  {.largest_file = limit});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto progress = read_progress(file);
  ASSERT_TRUE(progress);
  EXPECT_TRUE(says(progress->checkpoint_problem, "the checkpoint of step "));
  EXPECT_TRUE(says(progress->checkpoint_problem, "is lost: "));
  EXPECT_GT(progress->checkpoints_lost_since, 0);
}

TEST_F(TrainProgress, IsThatOfRankZero) {
  const auto run = run_program(arguments_with(folder_ / "progress.json"),
                               {.ranks = 2, .last_rank_arguments = arguments_with(folder_ / "of-rank-1.json")});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_FALSE(fs::exists(folder_ / "of-rank-1.json"));
  const auto progress = read_progress(folder_ / "progress.json");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, 6);
  EXPECT_EQ(progress->total_steps, 6);
  EXPECT_EQ(progress->phase, TrainingPhase::finishing);
  EXPECT_GT(progress->examples_per_second, 0);
  EXPECT_NEAR(progress->loss.value(), read_result(project_.output() / "result.h5").training.loss.back(), 5e-5);
}

}  // namespace
}  // namespace gausscse
