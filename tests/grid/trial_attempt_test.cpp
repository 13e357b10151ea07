#include "experiments/grid/trial_attempt.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>

#include "base/error.hpp"
#include "base/host_name.hpp"
#include "experiments/grid/claims.hpp"
#include "experiments/grid/study_folder.hpp"
#include "experiments/grid/study_planner.hpp"
#include "experiments/grid/unfinished_folder.hpp"
#include "tests/grid/fake_train.hpp"
#include "tests/grid/small_study.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

/// A worker, A, whose trial another one, B, takes over while it runs. B's clock is moved by hand.
class TrialAttemptTest : public testing::Test {
 protected:
  /// `before`: what is noted of earlier attempts.
  void begin(std::int64_t seed, const Attempts& before = {}) {
    study.write_manifest({seed});
    make_study_folders(study.results());
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    planner.plan();
    trial = planner.trials().at(0);
    settings = {.results = study.results(), .program = GAUSSCSE_FAKE_TRAIN, .resources = {}, .lease = 10};
    now = [this] { return std::chrono::steady_clock::now() + ahead; };
    a = std::make_unique<Claims>(study.results(), 10, now);
    b = std::make_unique<Claims>(study.results(), 10, [this] { return b_now; });
    of_a = a->acquire(identity());
    const fs::path taken = take_over_folder(study.results(), identity(), of_a->generation());
    if (before.started > 0) write_attempts(taken, before);
    attempt = std::make_unique<TrialAttempt>(settings, trial, TrialSlot{}, of_a, taken, now);
  }

  const std::string& identity() const { return trial.planned.identity; }

  AttemptEnd end_of_attempt() {
    while (true) {
      if (const auto end = attempt->poll()) return *end;
      ::poll(nullptr, 0, 5);
    }
  }
  void poll_until_it_waits() {
    while (study.noted("waits") == 0) {
      ASSERT_FALSE(attempt->poll());
      ::poll(nullptr, 0, 5);
    }
  }

  std::unique_ptr<Claim> take_over() {
    for (int i = 0; i < 4; ++i) {
      b->look();
      b_now += std::chrono::seconds(4);
    }
    return b->acquire(identity());
  }

  std::vector<std::string> left_in(const char* name) const { return sorted_names_in(study.results() / name); }

  TemporaryFolder folder;
  SmallStudy study{folder.path()};
  AttemptSettings settings;
  StudyPlanEntry trial;
  SteadyNow now;
  std::chrono::seconds ahead{0};  ///< of A's clock
  std::chrono::steady_clock::time_point b_now{std::chrono::hours(1)};
  std::unique_ptr<Claims> a, b;
  std::shared_ptr<Claim> of_a;
  std::unique_ptr<TrialAttempt> attempt;
};

TEST_F(TrialAttemptTest, CommitsAndReleases) {
  begin(1);
  EXPECT_EQ(end_of_attempt(), AttemptEnd::committed);
  EXPECT_EQ(left_in("trials"), std::vector<std::string>{identity()});
  EXPECT_TRUE(left_in("claims").empty());
  const Attempts attempts = read_attempts(study.results() / "trials" / identity());
  EXPECT_EQ(attempts.generation, 1);
  EXPECT_EQ(attempts.worker, a->worker());
  EXPECT_EQ(attempts.started, 1);
}

TEST_F(TrialAttemptTest, AddsToWhatEarlierOnesTook) {
  begin(1, {.generation = 1,
            .worker = "other",
            .started = 2,
            .seconds = 1000,
            .hosts = {"other", host_name()},
            .process = {}});
  ASSERT_EQ(end_of_attempt(), AttemptEnd::committed);
  const RunRecord run = read_run_record(study.results() / "trials" / identity() / "run.json");
  EXPECT_GT(run.seconds, 1000);
  EXPECT_LT(run.seconds, 2000);
  EXPECT_EQ(run.attempts, 3);
  EXPECT_EQ(run.hosts, (std::vector<std::string>{"other", host_name()})) << "each once";
}

TEST_F(TrialAttemptTest, NamesAHostThatIsNew) {
  begin(1, {.generation = 1, .worker = "other", .started = 1, .seconds = 1, .hosts = {"other"}, .process = {}});
  ASSERT_EQ(end_of_attempt(), AttemptEnd::committed);
  EXPECT_EQ(read_attempts(study.results() / "trials" / identity()).hosts,
            (std::vector<std::string>{"other", host_name()}));
}

/// With a lease of 10 s, every half minute.
TEST_F(TrialAttemptTest, NotesFromTimeToTimeWhatItHasTaken) {
  begin(seed_that_waits);
  poll_until_it_waits();
  EXPECT_EQ(read_attempts(attempt->folder()).seconds, 0);
  ahead = std::chrono::seconds(31);
  ASSERT_FALSE(attempt->poll());
  const double noted = read_attempts(attempt->folder()).seconds;
  EXPECT_GE(noted, 31);
  ASSERT_FALSE(attempt->poll());
  EXPECT_EQ(read_attempts(attempt->folder()).seconds, noted) << "not each time";
  attempt->ask_to_stop();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::interrupted);
}

TEST_F(TrialAttemptTest, EndsItsProgramWhenARenewalFindsTheTrialTakenOver) {
  begin(seed_deaf_to_requests);
  poll_until_it_waits();
  const pid_t process = static_cast<pid_t>(read_attempts(attempt->folder()).process.number);
  ASSERT_EQ(::kill(process, 0), 0);
  const auto of_b = take_over();
  ASSERT_TRUE(of_b);
  EXPECT_FALSE(attempt->poll()) << "nobody has looked yet";
  of_a->renew();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_NE(::kill(process, 0), 0);
  EXPECT_TRUE(left_in("failed").empty());
  EXPECT_TRUE(of_b->is_still_mine());
  EXPECT_EQ(left_in("claims").size(), 2u) << "it removes nothing";
}

TEST_F(TrialAttemptTest, CommitsNothingBehindATakeover) {
  begin(1);
  ASSERT_FALSE(attempt->poll()) << "the program was started";
  const auto of_b = take_over();
  ASSERT_TRUE(of_b);
  // Its folder is still there: the other one has not come further yet.
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_TRUE(left_in("trials").empty());
  const fs::path taken = take_over_folder(study.results(), identity(), of_b->generation());
  EXPECT_TRUE(fs::exists(taken / "result.h5")) << "what it did is of use to the other one";
}

TEST_F(TrialAttemptTest, RecordsNoFailureThatATakeoverMade) {
  begin(seed_that_waits);
  poll_until_it_waits();
  const auto of_b = take_over();
  take_over_folder(study.results(), identity(), of_b->generation());
  // It cannot write its checkpoint any more, and fails.
  attempt->ask_to_stop();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_TRUE(left_in("failed").empty());
  EXPECT_EQ(left_in("unfinished"), std::vector<std::string>{identity() + ".2"});
}

TEST_F(TrialAttemptTest, StartsNothingWhereItsTrialIsTakenOverBefore) {
  begin(1);
  const auto of_b = take_over();
  ASSERT_TRUE(of_b);
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_EQ(study.noted("begins 1"), 0u);
}

TEST_F(TrialAttemptTest, EndsWhatADeadWorkerLeftRunning) {
  begin(seed_deaf_to_requests);
  poll_until_it_waits();
  const pid_t process = static_cast<pid_t>(read_attempts(attempt->folder()).process.number);
  const auto of_b = take_over();
  const fs::path taken = take_over_folder(study.results(), identity(), of_b->generation());
  const TrialAttempt second(settings, trial, TrialSlot{}, a->acquire("nothing"), taken, now);
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_NE(::kill(process, 0), 0);
}

TEST_F(TrialAttemptTest, OfATrialThatAnotherOneCommittedLeavesNothing) {
  begin(1);
  ASSERT_FALSE(attempt->poll());
  // A done one, as if the first claim had been lost for a moment.
  const fs::path done = study.results() / "trials" / identity();
  fs::create_directory(done);
  write_bytes(done / "result.h5", "1234");
  RunRecord run;
  run.result_bytes = 4;
  write_run_record(done / "run.json", run);
  EXPECT_EQ(end_of_attempt(), AttemptEnd::done_before);
  EXPECT_EQ(fs::file_size(done / "result.h5"), 4u);
  EXPECT_TRUE(left_in("unfinished").empty());
  EXPECT_TRUE(left_in("claims").empty());
}

}  // namespace
}  // namespace gausscse
