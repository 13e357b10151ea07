#include "experiments/claims/claims.hpp"
#include "experiments/study/study_layout.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using FailedTrials = WorkerTest;

TEST_F(FailedTrials, AreRecordedAndTheOthersGoOn) {
  study.write_manifest({seed_of_bad_trial, seed_of_crash, seed_of_no_result, 1, 2, 3});
  EXPECT_EQ(run(), 1) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2, 3}));
  EXPECT_EQ(study.seeds(TrialStatus::failed), (Seeds{seed_of_bad_trial, seed_of_crash, seed_of_no_result}));
  EXPECT_TRUE(says(observer.lines, "3 of 6 trials are done, 3 failed, 0 are left"));
  EXPECT_TRUE(names("claims").empty());

  const FailureRecord bad = *study.trial(seed_of_bad_trial).failure;
  EXPECT_EQ(bad.reason, "exit code 2");
  EXPECT_EQ(bad.error, "this seed is refused");
  EXPECT_EQ(bad.lines, (std::vector<std::string>{"reading", "gausscse: error: this seed is refused"}));
  EXPECT_EQ(bad.attempts, 1);
  EXPECT_FALSE(bad.host.empty());
  const FailureRecord crash = *study.trial(seed_of_crash).failure;
  EXPECT_EQ(crash.reason, "signal 11 (Segmentation fault)");
  EXPECT_TRUE(says(crash.error, "it reported no error; "));
  EXPECT_TRUE(says(study.trial(seed_of_no_result).failure->reason, "left no usable result"));

  EXPECT_EQ(run(), 1) << "they are not tried again unasked";
  EXPECT_EQ(study.noted(concat("begins ", seed_of_bad_trial)), 1u);
}

TEST_F(FailedTrials, AreTriedAgainOnceWhereAsked) {
  study.write_manifest({seed_that_fails_once, seed_of_bad_trial, 1});
  EXPECT_EQ(run(), 1) << observer.lines;
  StudyRunOptions options = study.options();
  options.retry_failed = true;
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{seed_that_fails_once, 1}));
  const StudyTrial trial = study.trial(seed_that_fails_once);
  EXPECT_EQ(find_metric(trial.kept.tasks.at(0).metrics, "resumed")->value, 1) << "from its checkpoint";
  EXPECT_EQ(trial.run->attempts, 2);
  const FailureRecord bad = *study.trial(seed_of_bad_trial).failure;
  EXPECT_EQ(bad.attempts, 2);
  EXPECT_EQ(bad.lines.size(), 2u) << "of the last attempt alone";
  EXPECT_EQ(study.noted(concat("begins ", seed_of_bad_trial)), 2u);
  EXPECT_EQ(study.noted("begins 1"), 1u);
}

TEST_F(FailedTrials, EndAWorkerThatIsToFailFast) {
  Seeds seeds{seed_of_bad_trial, seed_that_waits};
  for (std::int64_t seed = 1; seed <= 20; ++seed) seeds.push_back(seed);
  study.write_manifest(seeds);
  StudyRunOptions options = study.options();
  options.fail_fast = true;
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "a trial failed, and --fail-fast is given"));
  EXPECT_EQ(study.seeds(TrialStatus::failed), Seeds{seed_of_bad_trial});
  EXPECT_LT(study.seeds(TrialStatus::done).size(), 20u);
}

TEST_F(FailedTrials, OfEarlierDoNotEndAWorkerThatIsToFailFast) {
  study.write_manifest({1, 2, 3, seed_of_bad_trial});
  EXPECT_EQ(run_only({concat("seed=", seed_of_bad_trial)}), 1) << observer.lines;
  StudyRunOptions options = study.options();
  options.fail_fast = true;
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2, 3}));
  EXPECT_EQ(study.noted(concat("begins ", seed_of_bad_trial)), 1u);
}

TEST_F(FailedTrials, OfAnotherWorkerEndOneThatIsToFailFast) {
  study.write_manifest({1, 2, seed_that_waits});
  ASSERT_EQ(run_only({"seed=1"}), 0) << observer.lines;
  const std::string identity = study.trial(2).planned.identity;
  Claims others(study.results(), 60, std::chrono::steady_clock::now);
  const auto claim = others.acquire(identity);
  ASSERT_TRUE(claim);
  int looks = 0;
  observer.meanwhile = [&] {
    if (study.noted("waits") == 0) return;
    FailureRecord failure;
    failure.reason = "exit code 2";
    if (++looks == 1) write_failure_record(study_layout::failure_file(study.results(), identity), failure);
    // A worker that ignores it is stopped.
    if (looks > 600) stop.asked = 1;
  };
  StudyRunOptions options = study.options();
  options.fail_fast = true;
  options.lease = 0.4;
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "a trial failed, and --fail-fast is given"));
  EXPECT_EQ(study.seeds(TrialStatus::interrupted), Seeds{seed_that_waits});
}

TEST_F(FailedTrials, BlockWhatIsChosenFromThem) {
  study.write_stages(concat("  choose: {grid: {training.batch_size: [16]}, seeds: [1, ", seed_of_bad_trial,
                            "]}\n"
                            "  final:\n"
                            "    best_of: {stage: choose, figure: dev.auprc}\n"
                            "    grid: {training.learning_rate: [1.0e-4]}\n"));
  EXPECT_EQ(run(), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "1 of 3 trials are done, 1 failed, 1 are left"));
  EXPECT_TRUE(says(observer.lines, "waits for 1 failed trial of the stage choose"));
}

}  // namespace
}  // namespace gausscse
