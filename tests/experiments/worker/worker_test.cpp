#include <sys/stat.h>

#include <chrono>

#include "base/content_hash.hpp"
#include "base/file_calls.hpp"
#include "base/file_lock.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// Puts another text in the place of one.
void change_text(const fs::path& file, const std::string& text, const std::string& other) {
  std::string content = read_whole_file(file, 1 << 20);
  ASSERT_NE(content.find(text), std::string::npos) << content;
  write_bytes(file, content.replace(content.find(text), text.size(), other));
}

TEST_F(WorkerTest, RunsEachTrialOnceAndLeavesWhatIsToldOfIt) {
  study.write_manifest({1, 2, 3});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2, 3}));
  for (const char* seed : {"1", "2", "3"}) EXPECT_EQ(study.noted(std::string("begins ") + seed), 1u);
  EXPECT_EQ(sorted_names_in(study.results()), (std::vector<std::string>{"claims", "failed", "index.h5", "manifest.yaml",
                                                                        "plan.json", "trials", "unfinished"}));
  for (const char* empty : {"claims", "failed", "unfinished"})
    EXPECT_TRUE(sorted_names_in(study.results() / empty).empty()) << empty;
  const auto text = [&](const fs::path& file) { return read_whole_file(file, 1 << 20); };
  EXPECT_EQ(text(study.results() / "manifest.yaml"), text(study.manifest()));
  EXPECT_TRUE(says(observer.lines, "3 of 3 trials are done, 0 failed, 0 are left"));

  const StudyTrial trial = study.trial(2);
  ASSERT_TRUE(trial.run);
  const fs::path result = trial.folder / "result.h5";
  EXPECT_EQ(trial.run->result_bytes, fs::file_size(result));
  EXPECT_EQ(trial.run->attempts, 1);
  EXPECT_EQ(trial.run->steps, 4);
  // 16 examples a step at 128, 128, 64 and 32 a second.
  EXPECT_DOUBLE_EQ(trial.run->step_seconds, 0.125 + 0.125 + 0.25 + 0.5);
  EXPECT_GT(trial.run->seconds, 0);
  EXPECT_LT(trial.run->seconds, 60);
  EXPECT_GT(trial.run->peak_memory_bytes, 1u << 20);
  EXPECT_EQ(trial.run->hosts.size(), 1u);
  EXPECT_TRUE(fs::exists(trial.folder / "model" / "weights"));
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(trial.folder))
    if (entry.is_regular_file() && entry.path().filename() != "run.json") bytes += entry.file_size();
  EXPECT_EQ(trial.run->disk_bytes, bytes);
  EXPECT_EQ(read_result(result).states.at(0).tasks.at(0).metrics.at(1).value, 0) << "it was not resumed";
}

TEST_F(WorkerTest, DoesNothingWhereAllIsDone) {
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.noted("begins 1") + study.noted("begins 2"), 2u);
}

TEST_F(WorkerTest, RemovesModelsThatAreNotToBeKept) {
  study.write_manifest({1}, "keep_models: false\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_FALSE(fs::exists(study.trial(1).folder / "model"));
  EXPECT_LT(study.trial(1).run->disk_bytes, 1u << 20);
}

TEST_F(WorkerTest, KeepsAModelToWhichSomebodyHasAddedAFile) {
  study.write_manifest({seed_with_a_users_file}, "keep_models: false\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(read_whole_file(study.trial(seed_with_a_users_file).folder / "model" / "mine.txt", 100), "my own");
}

TEST_F(WorkerTest, GoesOnToAStageWhenWhatItIsChosenFromIsDone) {
  study.write_stages(
      "  choose: {grid: {training.batch_size: [16, 32, 64]}}\n"
      "  final:\n"
      "    best_of: {stage: choose, figure: dev.auprc}\n"
      "    grid: {training.learning_rate: [1.0e-4]}\n"
      "    seeds: [5, 6]\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  for (const StudyTrial& trial : read_study(study.results()).trials) {
    EXPECT_EQ(trial.status, TrialStatus::done) << title_of(trial.planned);
    if (trial.planned.stage != "final") continue;
    EXPECT_EQ(read_trial(trial.folder / "trial.yaml").training.batch_size, 32) << "fake_train's best";
    ASSERT_NE(label_on(trial.planned, "training.batch_size"), nullptr);
    EXPECT_EQ(*label_on(trial.planned, "training.batch_size"), "32");
  }
  EXPECT_EQ(read_plan(study.results() / "plan.json").trials.size(), 5u);
}

TEST_F(WorkerTest, RunsWhatItCanWhereAModelIsMissingAndTheRestOnceItIsThere) {
  study.write_stages("  one: {grid: {model.backbone.path: [model, roberta-base]}, seeds: [1, 2]}\n");
  EXPECT_EQ(run(), 1) << observer.lines;
  const fs::path other = study.manifest().parent_path() / "roberta-base";
  EXPECT_TRUE(says(observer.lines, "warning: " + other.string() +
                                       " is missing: 2 trials that read it wait; if \"FacebookAI/roberta-base\" of the "
                                       "Hugging Face hub is meant, download it there: hf download "
                                       "FacebookAI/roberta-base --include \"*.[jst]*\" --local-dir " +
                                       other.string() + "\n"));
  EXPECT_TRUE(says(observer.lines, "2 of 4 trials are done, 0 failed, 2 are left; one roberta-base seed 1 waits for " +
                                       other.string() + ", which is not there"));
  std::vector<TrialStatus> statuses;
  for (const StudyTrial& trial : read_study(study.results()).trials) statuses.push_back(trial.status);
  EXPECT_EQ(statuses, (std::vector{TrialStatus::done, TrialStatus::done, TrialStatus::waiting, TrialStatus::waiting}));
  fs::create_directory(other);
  write_bytes(other / "config.json", "{\"other\": true}\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.noted("begins 1") + study.noted("begins 2"), 4u);
}

TEST_F(WorkerTest, BeginsNoMoreTrialsThanItMay) {
  study.write_manifest({1, 2, 3, 4, 5});
  StudyRunOptions options = study.options();
  options.max_trials = 3;
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2, 3}));
  EXPECT_EQ(study.noted("begins 4") + study.noted("begins 5"), 0u);
  options.max_trials = 2;
  EXPECT_EQ(run(options), 0) << "all that were left: " << observer.lines;
}

TEST_F(WorkerTest, InterruptsTrialsWhenAskedAndGoesOnFromTheirCheckpoints) {
  study.write_manifest({seed_that_waits_once, 1, 2});
  observer.meanwhile = [&] { stop.asked = study.noted("waits") > 0; };
  EXPECT_EQ(run_only({concat("seed=", seed_that_waits_once)}), 128 + 10) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::interrupted), Seeds{seed_that_waits_once});
  EXPECT_TRUE(names("failed").empty());
  EXPECT_TRUE(names("claims").empty());
  EXPECT_TRUE(says(observer.lines, "signal 10"));
  observer.meanwhile = {};
  stop.asked = 0;
  EXPECT_EQ(run(), 0) << observer.lines;
  const StudyTrial trial = study.trial(seed_that_waits_once);
  EXPECT_EQ(trial.run->attempts, 2);
  EXPECT_EQ(find_metric(trial.kept.tasks.at(0).metrics, "resumed")->value, 1);
}

TEST_F(WorkerTest, EndsTrialsAtOnceWhenAskedTwice) {
  study.write_manifest({seed_deaf_to_requests, 1, 2});
  observer.meanwhile = [&] {
    if (study.noted("waits") > 0) stop.asked = 1;
    if (observer.lines.find("signal 10") != std::string::npos) stop.asked = 2;
  };
  EXPECT_EQ(run_only({concat("seed=", seed_deaf_to_requests)}), 128 + 10) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::interrupted), Seeds{seed_deaf_to_requests});
  EXPECT_TRUE(names("claims").empty());
}

TEST_F(WorkerTest, SetsADamagedResultAsideAndRunsItsTrialAgain) {
  study.write_manifest({1, 2, 3, 4, 5});
  ASSERT_EQ(run(), 0) << observer.lines;
  const fs::path cut = study.trial(2).folder, without = study.trial(3).folder;
  fs::resize_file(cut / "result.h5", 100);
  fs::remove(without / "run.json");
  // 0.504 and a byte of the same size.
  change_text(study.trial(4).folder / "report.json", "0.504", "0.604");
  std::string result = read_whole_file(study.trial(5).folder / "result.h5", 1 << 20);
  result.back() = static_cast<char>(result.back() ^ 1);
  write_bytes(study.trial(5).folder / "result.h5", result);
  EXPECT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(
      says(observer.lines, concat("result.h5: damaged: it has 100 bytes where ", study.trial(1).run->result_bytes)));
  EXPECT_TRUE(says(observer.lines, "report.json: damaged: it has changed since it was written"));
  EXPECT_TRUE(says(observer.lines, "result.h5: damaged: it has changed since it was written"));
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2, 3, 4, 5}));
  EXPECT_EQ(find_metric(study.trial(4).kept.tasks.at(0).metrics, "auprc")->value, 0.504);
  EXPECT_EQ(study.noted("begins 1"), 1u);
  EXPECT_EQ(study.noted("begins 2"), 2u);
  for (const char* begins : {"begins 3", "begins 4", "begins 5"}) EXPECT_EQ(study.noted(begins), 2u);
  EXPECT_GT(fs::file_size(cut / "result.h5"), 100u);
  const std::vector<std::string> aside = names("set_aside");
  ASSERT_EQ(aside.size(), 4u);
  for (const std::string& name : aside) EXPECT_TRUE(name.ends_with(".2")) << name << ": not the committed generation";
}

/// While the first of two trials runs, a file that both read is replaced.
TEST_F(WorkerTest, BeginsNothingThatReadsAFileWhichIsNotAsPlanned) {
  study.write_manifest({1, 2});
  const fs::path gate = folder / "gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  ::setenv(fake_train_gate, gate.c_str(), 1);
  bool replaced = false;
  observer.meanwhile = [&] {
    if (replaced || study.noted("read 1") == 0) return;
    write_bytes(folder / "train.jsonl", "{\"other\": 1}\n");
    replaced = true;
    ::unsetenv(fake_train_gate);
    std::ofstream(gate).close();
  };
  EXPECT_EQ(run_in_slots(1), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, concat((folder / "train.jsonl").string(),
                                          " (data.train/1) had other content when the trial was planned")));
  EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{1});
  EXPECT_EQ(study.noted("begins 2"), 0u);
  EXPECT_TRUE(names("failed").empty());
  const std::string before = study.trial(1).planned.identity;
  observer.meanwhile = {};
  EXPECT_EQ(run_in_slots(1), 0) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2}));
  EXPECT_NE(study.trial(1).planned.identity, before) << "it is another trial";
  EXPECT_EQ(study.noted("begins 1"), 2u);
  EXPECT_EQ(names("trials").size(), 3u) << "what was done stays";
}

TEST_F(WorkerTest, NamesTheFileThatWasReplacedSinceTrialsWereDone) {
  const std::string of_train = concat(" of other contents of ", (folder / "train.jsonl").string(), " (data.train/1): ");
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(observer.lines.find("other contents"), std::string::npos) << observer.lines;
  write_bytes(folder / "train.jsonl", "{\"other\": 1}\n");
  study.write_manifest({1, 2, 3});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, concat("2 results in ", study.results().string(), " are", of_train)));

  // One of the three that were done since is a trial of this plan but for the file.
  observer.lines.clear();
  write_bytes(folder / "train.jsonl", "{}\n");
  study.write_manifest({1});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, concat("1 result in ", study.results().string(), " is", of_train)));
  EXPECT_EQ(study.noted("begins 1"), 2u) << "its first result counts again";
}

TEST_F(WorkerTest, RefusesAChangedPlanAndMakesItAgainWhenItIsMovedAway) {
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  const fs::path plan = study.results() / "plan.json";
  change_text(plan, "\"seed\": 2", "\"seed\": 3");
  EXPECT_TRUE(
      says(refusal_of([&] { run(); }), concat(plan.string(), ": damaged: it has changed since it was written")));
  fs::rename(plan, folder / "aside.json");
  fs::create_directory(study.results() / "set_aside");
  EXPECT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2}));
  EXPECT_EQ(study.noted("begins"), 2u);
}

TEST_F(WorkerTest, SaysHowManyTrialsStayedUntrained) {
  study.write_manifest({1, seed_that_stays_untrained}, "  select: {task: dev, figure: auprc}\n");
  change_text(study.manifest(), "files: dev.jsonl}", "files: dev.jsonl, eval_every: 2}");
  EXPECT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, concat("seed ", seed_that_stays_untrained, " is done after")));
  EXPECT_TRUE(says(observer.lines, ": dev.auprc 0.5, of the untrained state: no step gave a better one\n"));
  EXPECT_TRUE(says(observer.lines, ": dev.auprc 0.501\n"));
  EXPECT_TRUE(says(observer.lines, "warning: 1 of 2 done trials kept the untrained state"));
}

TEST_F(WorkerTest, SaysThatATrialEndedEarly) {
  study.write_manifest({1}, "  select: {task: dev, figure: auprc, patience: 4}\n");
  change_text(study.manifest(), "files: dev.jsonl}", "files: dev.jsonl, eval_every: 2}");
  EXPECT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, ": dev.auprc 0.501, ended early after step 4 of 9: why\n"));
  EXPECT_EQ(study.trial(1).run->ended_early, "after step 4 of 9: why");
}

/// A training of another host that still runs, or a lock that a file server keeps for a host that is gone.
TEST_F(WorkerTest, WaitsForNoLockInAFolderThatItTakesOver) {
  study.write_manifest({1});
  ASSERT_EQ(run(), 0) << observer.lines;
  const std::string identity = study.trial(1).planned.identity;
  const fs::path left = study.results() / "unfinished" / (identity + ".1");
  fs::rename(study.results() / "trials" / identity, left);
  const FileLock lock(left / ".gausscse.lock");
  EXPECT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.noted("begins 1"), 2u);
  EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{1});
  EXPECT_TRUE(names("unfinished").empty());
}

TEST_F(WorkerTest, WaitsForTrialsThatOthersHoldAndTakesThemOver) {
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  const std::string identity = study.trial(2).planned.identity;
  fs::remove_all(study.results() / "trials" / identity);
  ProcessIdentity other = this_process_identity();
  Claims others(study.results(), 60, std::chrono::steady_clock::now, other);
  auto claim = others.acquire(identity);
  ASSERT_TRUE(claim);
  int looks = 0;
  observer.meanwhile = [&] {
    EXPECT_EQ(study.noted("begins 2"), looks < 5 ? 1u : study.noted("begins 2"));
    EXPECT_EQ(observer.last.elsewhere, looks > 1 && looks < 5 ? 1u : observer.last.elsewhere);
    if (++looks == 5) claim->release();
  };
  StudyRunOptions options = study.options();
  options.lease = 0.4;
  EXPECT_EQ(run(options), 0) << observer.lines;
  EXPECT_GE(looks, 5);
  EXPECT_EQ(study.noted("begins 2"), 2u);
}

TEST_F(WorkerTest, ClearsUpBehindAWorkerThatDiedAfterItsCommit) {
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  const std::string identity = study.trial(2).planned.identity;
  // What a process that is gone left: the number of this one with another start.
  ProcessIdentity dead = this_process_identity();
  --dead.start;
  write_bytes(study.results() / "claims" / (identity + ".1"), to_text({.worker = "dead", .process = dead}));
  fs::create_directory(study.results() / "unfinished" / (identity + ".1"));
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(names("claims").empty());
  EXPECT_TRUE(names("unfinished").empty());
  EXPECT_EQ(study.noted("begins 2"), 1u);
}

}  // namespace
}  // namespace gausscse
