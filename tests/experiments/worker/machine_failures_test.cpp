#include "experiments/study/study_layout.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

// Failures of the machine: a full disk, a kill, a node on which nothing runs.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
class MachineFailures : public WorkerTest {
 protected:
  /// Returns the worker's exit code with one trial at a time.
  int run_alone(int machine_failures, const fs::path& program = GAUSSCSE_FAKE_TRAIN) {
    return run_in_slots(1, std::chrono::steady_clock::now, [&](WorkerSettings& settings) {
      settings.machine_failures = machine_failures;
      settings.attempts.program = program;
    });
  }

  /// Returns a program that ends at once with this exit code, and says nothing.
  fs::path program_that_exits_with(int code) const {
    fs::path program = folder / "train.sh";
    write_bytes(program, concat("#!/bin/sh\necho run >>", (folder / "runs").string(), "\nexit ", code, "\n"));
    fs::permissions(program, fs::perms::owner_all);
    return program;
  }
  std::size_t runs_of_program() const { return fs::exists(folder / "runs") ? fs::file_size(folder / "runs") / 4 : 0; }

  std::vector<std::string> failed() const { return names("failed"); }
};

TEST_F(MachineFailures, AreNotTheTrialsAndTheSameCommandGoesOn) {
  study.write_manifest({seed_of_full_disk_once, seed_that_is_killed, 1});
  EXPECT_EQ(run_alone(3), machine_failed) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "was ended by this machine"));
  EXPECT_TRUE(says(observer.lines, "exit code 2: cannot write result.h5: write: No space left on device"));
  EXPECT_TRUE(says(observer.lines, "signal 9 (Killed)"));
  EXPECT_TRUE(failed().empty());
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{seed_of_full_disk_once, 1}));
  EXPECT_EQ(study.seeds(TrialStatus::interrupted), Seeds{seed_that_is_killed});
  const StudyTrial resumed = study.trial(seed_of_full_disk_once);
  EXPECT_EQ(resumed.run->attempts, 2);
  EXPECT_EQ(find_metric(resumed.kept.tasks.at(0).metrics, "resumed")->value, 1) << "from its checkpoint";
  EXPECT_TRUE(names("claims").empty());
}

/// The first, then 1 and 2, which are done, and the first again as often as is allowed in a row.
TEST_F(MachineFailures, EndAWorkerWhenTheyComeOneAfterAnother) {
  study.write_manifest({seed_of_full_disk, 1, 2});
  EXPECT_EQ(run_alone(4), machine_failed) << observer.lines;
  EXPECT_EQ(study.noted(concat("begins ", seed_of_full_disk)), 5u);
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2}));
  EXPECT_TRUE(says(observer.lines, "failed 4 times in a row, and no trial was done in between"));
  EXPECT_TRUE(says(observer.lines, "2 of 3 trials are done, 0 failed, 1 are left"));
}

/// As the one before left it on the disk: a worker that begins with failed trials may never come to the others.
TEST_F(MachineFailures, PutTheirTrialsBehindTheOthersOfALaterWorker) {
  study.write_manifest({seed_of_full_disk, 1, 2});
  EXPECT_EQ(run_alone(1), machine_failed) << observer.lines;
  EXPECT_TRUE(study.seeds(TrialStatus::done).empty());
  EXPECT_EQ(run_alone(1), machine_failed) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{1, 2}));
  EXPECT_EQ(study.noted(concat("begins ", seed_of_full_disk)), 2u);
}

TEST_F(MachineFailures, OfANodeOnWhichNothingRunsBurnNoStudy) {
  study.write_manifest({1, 2, 3, 4, 5, 6, 7, 8});
  for (const int code : {1, 2, 127}) {
    fs::remove(folder / "runs");
    EXPECT_EQ(run_alone(3, program_that_exits_with(code)), machine_failed) << observer.lines;
    EXPECT_EQ(runs_of_program(), 3u);
    EXPECT_TRUE(says(observer.lines, "it is not counted as failed and starts again, as it has no checkpoint"));
    EXPECT_TRUE(failed().empty());
  }
  EXPECT_EQ(run(), 0) << observer.lines;
}

/// It hears requests, and answers none.
TEST_F(MachineFailures, AreTrainingsThatAreSilentForAsLongAsTheOptionSays) {
  study.write_manifest({seed_deaf_to_requests});
  StudyRunOptions options = study.options();
  options.machine_failures = 1;
  options.silence = 0.5;
  EXPECT_EQ(run(options), machine_failed) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "(neither its log nor its progress changed) and was killed"));
  EXPECT_TRUE(failed().empty());
}

/// As a job of which a rank freezes inside MPI's end: its result is there, and the next attempt has nothing to do.
TEST_F(MachineFailures, AreTrainingsThatHangBehindTheirResult) {
  study.write_manifest({seed_that_hangs_at_its_end});
  StudyRunOptions options = study.options();
  options.machine_failures = 2;
  options.silence = 2;
  EXPECT_EQ(run(options), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "(neither its log nor its progress changed) and was killed"));
  EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{seed_that_hangs_at_its_end});
  EXPECT_EQ(study.noted(concat("begins ", seed_that_hangs_at_its_end)), 2u);
}

TEST_F(MachineFailures, DoNotHideThatATrialFails) {
  study.write_manifest({seed_of_bad_trial, seed_of_crash, seed_of_no_result});
  EXPECT_EQ(run_alone(1), 1) << observer.lines;
  EXPECT_EQ(failed().size(), 3u);
}

}  // namespace
}  // namespace gausscse
