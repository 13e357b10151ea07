#include "experiments/claims/claims.hpp"
#include "results/training_reports.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

// Reports of a worker on its study, and the order and place in which it runs trials.

namespace gausscse {
namespace {

/// Looks at its children until which a worker that never comes so far is stopped.
constexpr int most_looks = 6000;

class WorkerProgressTest : public WorkerTest {
 protected:
  WorkerProgressTest() {
    observer.meanwhile = [this] {
      if (observer.last.running.size() > busiest.running.size()) busiest = observer.last;
      if (++looks > most_looks) stop.asked = 1;
    };
  }

  /// Runs the trial with this seed; all done ones have then taken 100 s.
  void run_first(const std::vector<std::string>& only) {
    run_only(only);
    study.set_costs(100);
    busiest = {};
    looks = 0;
  }
  /// Stops the worker when as many trials wait, and keeps its report with the most of them running.
  void stop_when_waiting(std::size_t trials) {
    observer.meanwhile = [this, trials, before = observer.meanwhile] {
      before();
      if (study.noted("waits") == trials) stop.asked = 1;
    };
  }

  WorkerProgress busiest;
  int looks = 0;
};

TEST_F(WorkerProgressTest, CountsTrialsAndSharesTheTimeThatIsLeftAmongThoseThatRun) {
  study.write_manifest({1, 2, seed_of_bad_trial, seed_that_waits, seed_that_waits_once, 3});
  run_first({"seed=1", "seed=2", concat("seed=", seed_of_bad_trial)});
  stop_when_waiting(2);
  const auto frozen = std::chrono::steady_clock::now();
  EXPECT_EQ(run_in_slots(2, [&] { return frozen; }), 128 + 10) << observer.lines;
  EXPECT_EQ(busiest.running.size(), 2u);
  EXPECT_EQ(busiest.running.at(0).title, concat("all 16 seed ", seed_that_waits));
  EXPECT_EQ(busiest.running.at(1).title, concat("all 16 seed ", seed_that_waits_once));
  EXPECT_EQ(busiest.trials, 6u);
  EXPECT_EQ(busiest.done, 2u);
  EXPECT_EQ(busiest.failed, 1u);
  EXPECT_EQ(busiest.here, 2u);
  EXPECT_EQ(busiest.elsewhere, 0u);
  ASSERT_TRUE(busiest.seconds_left);
  EXPECT_NEAR(*busiest.seconds_left, 3 * 100 / 2.0, 1e-9) << "three trials, two at a time";
}

TEST_F(WorkerProgressTest, KnowsNoTimeWhereNothingTellsWhatATrialTakes) {
  study.write_manifest({seed_that_waits});
  stop_when_waiting(1);
  EXPECT_EQ(run_in_slots(1), 128 + 10) << observer.lines;
  EXPECT_EQ(busiest.trials, 1u);
  EXPECT_FALSE(busiest.seconds_left);
}

/// Both stages have the same two trials, of which one is done.
class TwoStagesTest : public WorkerProgressTest {
 protected:
  TwoStagesTest() {
    const std::string seeds = concat("seeds: [1, ", seed_that_waits, "]");
    const std::string settings = concat("{grid: {training.batch_size: [16]}, ", seeds, "}\n");
    study.write_stages(concat("  one: ", settings, "  two: ", settings));
    run_first({"seed=1"});
  }

  const std::chrono::steady_clock::time_point frozen = std::chrono::steady_clock::now();
};

TEST_F(TwoStagesTest, OneThatRunsIsNotOnAnotherWorkerAndItsTimeCountsOnce) {
  ASSERT_EQ(study.trial(seed_that_waits).planned.identity, read_study(study.results()).trials.at(3).planned.identity);
  stop_when_waiting(1);
  EXPECT_EQ(run_in_slots(2, [&] { return frozen; }), 128 + 10) << observer.lines;
  EXPECT_EQ(busiest.running.size(), 1u);
  EXPECT_EQ(busiest.trials, 4u);
  EXPECT_EQ(busiest.done, 2u);
  EXPECT_EQ(busiest.here, 2u) << "a row each";
  EXPECT_EQ(busiest.elsewhere, 0u);
  ASSERT_TRUE(busiest.seconds_left);
  EXPECT_NEAR(*busiest.seconds_left, 100, 1e-9);
}

TEST_F(TwoStagesTest, OneOfAnotherWorkerIsOneTrialAtATime) {
  Claims others(study.results(), 60, std::chrono::steady_clock::now);
  const auto claim = others.acquire(study.trial(seed_that_waits).planned.identity);
  ASSERT_TRUE(claim);
  WorkerProgress first;
  observer.meanwhile = [&] {
    first = observer.last;
    stop.asked = 1;
  };
  EXPECT_EQ(run_in_slots(2, [&] { return frozen; }), 128 + 10) << observer.lines;
  EXPECT_TRUE(first.running.empty());
  EXPECT_EQ(first.here, 0u);
  EXPECT_EQ(first.elsewhere, 2u);
  ASSERT_TRUE(first.seconds_left);
  EXPECT_NEAR(*first.seconds_left, 100, 1e-9);
}

TEST_F(WorkerProgressTest, WarnsOnceOfATrialWhoseCheckpointsAreLost) {
  study.write_manifest({seed_that_waits});
  const TrainingProgress whole{TrainingPhase::training, 50, 100, 64, 190};
  TrainingProgress lost = whole;
  lost.checkpoint_problem = "the checkpoint of step 40 is lost: write: No space left on device";
  lost.checkpoints_lost_since = 1769860800;
  const std::string warning =
      concat("warning: all 16 seed ", seed_that_waits,
             " has written no checkpoint since 2026-01-31T12:00:00Z: ", lost.checkpoint_problem);
  const std::string again = concat("all 16 seed ", seed_that_waits, " writes checkpoints again");
  int looks_since = 0;
  const auto tells = [&](const std::string& text) { return observer.lines.find(text) != std::string::npos; };
  observer.meanwhile = [&] {
    if (++looks > most_looks) stop.asked = 1;
    if (study.noted("waits") == 0 || observer.last.running.empty()) return;
    const bool is_whole = tells(warning) && ++looks_since > 5;
    write_progress(observer.last.running[0].folder / "progress.json", is_whole ? whole : lost);
    if (tells(again)) stop.asked = 1;
  };
  // A clock that goes an hour at each look: the worker looks at its trials as often.
  std::chrono::hours ahead{0};
  EXPECT_EQ(run_in_slots(1, [&] { return std::chrono::steady_clock::time_point(++ahead); }), 128 + 10)
      << observer.lines;
  EXPECT_TRUE(says(observer.lines, again));
  ASSERT_TRUE(says(observer.lines, warning));
  EXPECT_EQ(observer.lines.find(warning), observer.lines.rfind(warning)) << "once";
}

/// One trial of each number of steps is done: in 100 s, and in 200 s.
TEST_F(WorkerProgressTest, BeginsTheLongestTrialFirstOnceOneLikeItIsDone) {
  study.write_stages("  all: {grid: {training.max_steps: [4, 10]}, seeds: [1, 2]}\n");
  run_first({"seed=1"});
  for (const StudyTrial& trial : read_study(study.results()).trials) {
    if (!trial.run || *label_on(trial.planned, "training.max_steps") != "10") continue;
    RunRecord run = *trial.run;
    run.seconds = 200;
    write_run_record(trial.folder / "run.json", run);
  }
  observer.lines.clear();
  ASSERT_EQ(run_in_slots(1), 0) << observer.lines;
  const std::size_t longest = observer.lines.find("all 10 seed 2 begins"),
                    other = observer.lines.find("all 4 seed 2 begins");
  ASSERT_NE(longest, std::string::npos) << observer.lines;
  ASSERT_NE(other, std::string::npos) << observer.lines;
  EXPECT_LT(longest, other);
}

}  // namespace
}  // namespace gausscse
