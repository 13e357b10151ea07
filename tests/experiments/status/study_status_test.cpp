#include "experiments/status/study_status.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "experiments/study/study_layout.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// The sample study, of which "choose 32" failed with an error, "final simcse 16 seed 0" is at its step 50, and
/// "seed 2" is damaged.
class StudyStatusTest : public testing::Test {
 protected:
  StudyStatusTest() {
    write_sample_study(results_);
    write_failure_record(
        study_layout::failure_file(results_, "a1"),
        {"exit code 2", "gausscse: error:\tno\nfile", {"one", "two\xff"}, 3, 12.5, "node7", "2026-01-31T12:00:00Z"});
    write_progress(results_ / "unfinished/c0.10/progress.json", {TrainingPhase::training, 50, 100, 64, 190});
  }
  void write_time(double seconds_ago) {
    const auto age =
        std::chrono::duration_cast<fs::file_time_type::duration>(std::chrono::duration<double>(seconds_ago));
    fs::last_write_time(results_ / "unfinished/c0.10/progress.json", fs::file_time_type::clock::now() - age);
  }

  TemporaryFolder folder_;
  fs::path results_ = folder_ / "results";
};

TEST_F(StudyStatusTest, IsReadWithTheProgressOfRunningTrials) {
  write_time(1000);
  const std::vector<StudyTrial> trials = read_study(results_).trials;
  ASSERT_EQ(trials.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(trials[i].progress.has_value(), i == 4) << i;
  EXPECT_EQ(trials[4].progress->progress, (TrainingProgress{TrainingPhase::training, 50, 100, 64, 190}));
  EXPECT_GE(trials[4].progress->seconds_ago, 1000);
  EXPECT_LT(trials[4].progress->seconds_ago, 2000);
  write_time(-1000);
  EXPECT_EQ(read_study(results_).trials[4].progress->seconds_ago, 0) << "another clock";
}

TEST_F(StudyStatusTest, TextHasCountsAndWhatRunsAndWentWrong) {
  StudyResults study = read_study(results_);
  study.trials[4].progress->seconds_ago = 60;
  const std::string results = results_.string();
  const std::string head = concat("study sample in ", results, "\n\n");
  const std::string counts =
      "stage   trials  done  running  interrupted  planned  waiting  failed  damaged\n"
      "choose       2     1        0            0        0        0       1        0\n"
      "final        6     2        1            1        1        0       0        1\n"
      "last         1     0        0            0        0        1       0        0\n"
      "all          9     3        1            1        1        1       1        1\n";
  const std::uintmax_t bytes = read_run_record(results_ / "trials/c2/run.json").result_bytes;
  const std::string wrong = concat("\nfailed:\n  choose 32 seed 0  exit code 2: gausscse: error: no file (on node7)\n",
                                   "\ndamaged (done, but files have changed since):\n  final simcse 16 seed 2  ",
                                   results, "/trials/c2/result.h5: damaged: it has ", bytes - 1, " bytes where ", bytes,
                                   " were written: `gausscse run` sets the trial aside and trains it again\n");
  const std::string running = "\nrunning:\n  final simcse 16 seed 0  step 50/100  64.0 examples/s  3m10s left";
  EXPECT_EQ(status_text(study), concat(head, counts, running, "\n", wrong));
  study.trials[4].progress->seconds_ago = 120;
  EXPECT_EQ(status_text(study), concat(head, counts, running, "  (reported 2m00s ago)\n", wrong));
  study.trials[4].progress->progress.loss = 1.5;
  EXPECT_TRUE(says(status_text(study), "3m10s left  loss 1.5000  (reported 2m00s ago)\n"));
  study.trials[4].progress = std::nullopt;
  EXPECT_TRUE(says(status_text(study), "  final simcse 16 seed 0  preparing\n"));
}

TEST_F(StudyStatusTest, NamesTrialsWhoseCheckpointsAreLost) {
  StudyResults study = read_study(results_);
  EXPECT_FALSE(nlohmann::json::parse(status_json(study))["trials"][4]["progress"].contains("checkpoint_problem"));
  study.trials[4].progress->progress.checkpoint_problem =
      "the checkpoint of step 40 is lost: write: No space left on device";
  study.trials[4].progress->progress.checkpoints_lost_since = 1769860800;
  EXPECT_TRUE(says(status_text(study),
                   "3m10s left  has written no checkpoint since 2026-01-31T12:00:00Z: the checkpoint of step 40 "
                   "is lost: write: No space left on device\n"));
  const nlohmann::json progress = nlohmann::json::parse(status_json(study))["trials"][4]["progress"];
  EXPECT_EQ(progress["checkpoints_lost_since"], "2026-01-31T12:00:00Z");
  EXPECT_EQ(progress["checkpoint_problem"], "the checkpoint of step 40 is lost: write: No space left on device");
}

TEST_F(StudyStatusTest, CountsUntrainedStates) {
  StudyResults study = read_study(results_);
  EXPECT_FALSE(says(status_text(study), "untrained"));
  EXPECT_FALSE(nlohmann::json::parse(status_json(study))["trials"][3].contains("untrained"));
  study.trials[3].kept.step = 0;
  EXPECT_TRUE(says(status_text(study), "\nuntrained: 1 of 3 done trials kept the state before their first step\n"));
  EXPECT_EQ(nlohmann::json::parse(status_json(study))["trials"][3]["untrained"], true);
}

TEST_F(StudyStatusTest, JsonSaysWhichTrialsEndedEarly) {
  StudyResults study = read_study(results_);
  EXPECT_FALSE(nlohmann::json::parse(status_json(study))["trials"][3].contains("ended_early"));
  study.trials[3].run->ended_early = "after step 4 of 9: why";
  EXPECT_EQ(nlohmann::json::parse(status_json(study))["trials"][3]["ended_early"], "after step 4 of 9: why");
}

TEST_F(StudyStatusTest, TextOfAStudyInOneStageHasNoSum) {
  StudyResults study = read_study(results_);
  study.trials.resize(1);
  EXPECT_EQ(status_text(study),
            concat("study sample in ", results_.string(), "\n\nstage   trials  done\nchoose       1     1\n"));
}

TEST_F(StudyStatusTest, JsonHasEachTrial) {
  StudyResults study = read_study(results_);
  study.trials[4].progress->seconds_ago = 2.5;
  const nlohmann::json json = nlohmann::json::parse(status_json(study));
  EXPECT_EQ(json["format"], "gausscse-status/1");
  EXPECT_EQ(json["study"], "sample");
  EXPECT_EQ(json["folder"], results_.string());
  EXPECT_EQ(json["counts"], nlohmann::json::parse(R"({"waiting": 1, "planned": 1, "running": 1, "interrupted": 1,
                                                      "failed": 1, "damaged": 1, "done": 3})"));
  EXPECT_EQ(json["stages"]["choose"], nlohmann::json::parse(R"({"waiting": 0, "planned": 0, "running": 0,
                                                      "interrupted": 0, "failed": 1, "damaged": 0, "done": 1})"));
  ASSERT_EQ(json["trials"].size(), 9u);
  EXPECT_EQ(json["trials"][0], (nlohmann::json{{"title", "choose 16 seed 0"},
                                               {"stage", "choose"},
                                               {"coordinates", {{"training.batch_size", "16"}}},
                                               {"seed", 0},
                                               {"identity", "a0"},
                                               {"status", "done"},
                                               {"folder", (results_ / "trials/a0").string()},
                                               {"seconds", 10.5}}));
  EXPECT_EQ(json["trials"][1]["failure"], (nlohmann::json{{"reason", "exit code 2"},
                                                          {"error", "gausscse: error:\tno\nfile"},
                                                          {"attempts", 3},
                                                          {"seconds", 12.5},
                                                          {"host", "node7"},
                                                          {"ended", "2026-01-31T12:00:00Z"},
                                                          {"lines", {"one", "two\ufffd"}}}));
  EXPECT_EQ(json["trials"][4]["progress"], (nlohmann::json{{"phase", "training"},
                                                           {"step", 50},
                                                           {"total_steps", 100},
                                                           {"examples_per_second", 64.0},
                                                           {"seconds_left", 190.0},
                                                           {"seconds_ago", 2.5}}));
  EXPECT_TRUE(says(json["trials"][6]["problem"].get<std::string>(), "trials/c2/result.h5: damaged: it has "));
  EXPECT_EQ(json["trials"][8]["waits_for"], "the stage final");
  EXPECT_FALSE(json["trials"][8].contains("folder"));
  study.trials[4].progress->progress.loss = 1.5;
  EXPECT_EQ(nlohmann::json::parse(status_json(study))["trials"][4]["progress"]["loss"], 1.5);
  study.trials[4].progress = std::nullopt;
  EXPECT_TRUE(nlohmann::json::parse(status_json(study))["trials"][4]["progress"].is_null());
}

TEST_F(StudyStatusTest, NoResultsFolderIsRefused) {
  EXPECT_TRUE(says(refusal_of([&] { read_study(folder_.path()); }), "no results folder of a study"));
}

}  // namespace
}  // namespace gausscse
