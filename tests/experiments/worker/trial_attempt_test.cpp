#include "experiments/worker/trial_attempt.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "base/content_hash.hpp"
#include "base/file_lock.hpp"
#include "base/process.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/study_folder.hpp"
#include "experiments/worker/study_planner.hpp"
#include "results/json_report.hpp"
#include "results/training_reports.hpp"
#include "tests/experiments/claims/old_names.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A worker, A, whose trial another one, B, takes over while it runs. B's clock is moved by hand.
class TrialAttemptTest : public testing::Test {
 protected:
  /// `before`: the notes of earlier attempts.
  void begin(std::int64_t seed, const Attempts& before = {}) {
    study.write_manifest({seed});
    make_study_folders(study.results());
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    planner.plan();
    trial = planner.trials().at(0);
    settings = {.results = study.results(), .program = GAUSSCSE_FAKE_TRAIN, .resources = {}, .lease = 10};
    now = [this] { return std::chrono::steady_clock::now() + ahead; };
    a = std::make_unique<Claims>(study.results(), 10, now, this_process_identity(), *host);
    b = std::make_unique<Claims>(study.results(), 10, [this] { return b_now; });
    of_a = a->acquire(identity());
    const fs::path taken = take_over_folder(study.results(), identity(), of_a->generation());
    if (before.started > 0) write_attempts(taken, before);
    attempt = std::make_unique<TrialAttempt>(settings, trial, TrialSlot{}, of_a, taken, now, *host);
  }

  const std::string& identity() const { return trial.planned.identity; }

  /// Starts the program, which does not end before `open_gate`, however slow this test is.
  void start_before_gate() {
    fs::remove(gate);
    ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
    ::setenv(fake_train_gate, gate.c_str(), 1);
    ASSERT_FALSE(attempt->poll());
    ::unsetenv(fake_train_gate);
  }
  void open_gate() const { std::ofstream(gate).close(); }

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
  fs::path gate = folder / "gate";
  SmallStudy study{folder.path()};
  AttemptSettings settings;
  StudyPlanEntry trial;
  SteadyNow now;
  std::chrono::seconds ahead{0};  ///< seconds by which A's clock is ahead
  std::chrono::steady_clock::time_point b_now{std::chrono::hours(1)};
  const Host* host = &real_host();  ///< A's
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

/// A report that an earlier attempt left says nothing of one that is killed.
TEST_F(TrialAttemptTest, FailsByTheErrorOfItsOwnProgramAlone) {
  begin(seed_that_is_killed);
  write_error_report(attempt->folder() / "error.json", {ErrorKind::input, "of an earlier attempt"});
  EXPECT_EQ(end_of_attempt(), AttemptEnd::machine_failed);
  EXPECT_TRUE(says(attempt->problem(), "signal 9 (Killed): it reported no error; "));
}

/// The content with which a trial was planned is put back before it ends: the content that the training read counts.
TEST_F(TrialAttemptTest, FailsByNameWhereAFileWasReplacedMeanwhile) {
  begin(1);
  const std::string planned = "{}\n", other = "{\"other\": 1}\n";
  write_bytes(folder / "train.jsonl", other);
  start_before_gate();
  while (study.noted("read") == 0) ::poll(nullptr, 0, 5);
  write_bytes(folder / "train.jsonl", planned);
  open_gate();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::failed);
  EXPECT_TRUE(left_in("trials").empty());
  const std::string reason =
      concat("the training read other files than the trial was planned with: ", (folder / "train.jsonl").string(),
             " (data.train/1) had other content when the trial was planned (XXH3-128 ", content_hash_of(planned),
             ", now ", content_hash_of(other), ")");
  EXPECT_TRUE(says(attempt->problem(), reason));
  EXPECT_TRUE(says(read_failure_record(study_layout::failure_file(study.results(), identity())).reason, reason));
  EXPECT_TRUE(left_in("unfinished").empty()) << "with --retry-failed it begins anew";
  EXPECT_EQ(left_in("set_aside"), std::vector<std::string>{identity() + ".1.unfinished"});
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
  start_before_gate();
  const auto of_b = take_over();
  ASSERT_TRUE(of_b);
  open_gate();
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
  EXPECT_EQ(left_in("unfinished"), (std::vector<std::string>{identity() + ".1.left", identity() + ".2"}));
}

TEST_F(TrialAttemptTest, RecordsNoFailureByAnOldListOfClaims) {
  const OldNames<Host> old;
  host = &old;
  begin(seed_of_bad_trial);
  start_before_gate();  // which looks at the claims
  ASSERT_TRUE(take_over());
  open_gate();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_TRUE(left_in("failed").empty());
  attempt.reset();
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
  const std::shared_ptr<Claim> of_b = take_over();
  const fs::path taken = take_over_folder(study.results(), identity(), of_b->generation());
  const TrialAttempt second(settings, trial, TrialSlot{}, of_b, taken, now);
  EXPECT_EQ(second.note(), concat("process ", process, ", left by a worker that has ended, was killed"));
  EXPECT_EQ(end_of_attempt(), AttemptEnd::lost);
  EXPECT_NE(::kill(process, 0), 0);
}

/// Others may write attempts.json, which names the process.
TEST_F(TrialAttemptTest, EndsNoProcessThatDoesNotTrainTheTrial) {
  ChildProcess other({.words = {"sleep", "600"}, .environment = {}, .cores = {}, .folder = {}, .log = folder / "log"});
  begin(1, {.generation = 1,
            .worker = "other",
            .started = 1,
            .seconds = 1,
            .hosts = {},
            .process = identity_of_process(other.id())});
  EXPECT_EQ(end_of_attempt(), AttemptEnd::committed);
  EXPECT_FALSE(other.poll());
  EXPECT_EQ(attempt->note(), "");

  // One that only has its working folder there: somebody looks around.
  const fs::path left = folder / "left";
  fs::create_directory(left);
  ChildProcess guest(
      {.words = {"sleep", "600"}, .environment = {}, .cores = {}, .folder = left, .log = folder / "log"});
  EXPECT_FALSE(kill_left_training(identity_of_process(guest.id()), {{1, left}}));
  // And one that only holds the lock.
  const FileLock lock(left / ".gausscse.lock");
  EXPECT_FALSE(kill_left_training(this_process_identity(), {{1, left}}));
  EXPECT_FALSE(kill_left_training(identity_of_process(guest.id()), {{1, left}}));
  EXPECT_FALSE(guest.poll());
}

/// As mpirun and a rank of it: the launcher leads the group, its child has the lock.
TEST_F(TrialAttemptTest, EndsTheLauncherOfATrainingThatHasTheLock) {
  begin(seed_deaf_to_requests);
  const fs::path left = folder / "left";
  fs::create_directory(left);
  write_bytes(left / "trial.yaml", to_yaml([&] {
                Trial in_place = *trial.trial;
                in_place.output = ".";
                return in_place;
              }()));
  ChildProcess launcher({.words = {"sh", "-c",
                                   concat(GAUSSCSE_FAKE_TRAIN,
                                          " --threads 1 train trial.yaml --json report.json --progress progress.json "
                                          "--failure error.json & wait")},
                         .environment = {},
                         .cores = {},
                         .folder = left,
                         .log = folder / "log"});
  while (study.noted("waits") == 0 && !launcher.poll()) ::poll(nullptr, 0, 5);
  EXPECT_FALSE(kill_left_training(identity_of_process(launcher.id()), {})) << "it was taken from nobody";
  EXPECT_TRUE(kill_left_training(identity_of_process(launcher.id()), {{1, left}}));
  EXPECT_EQ(to_text(launcher.wait()), "signal 9 (Killed)");
  while (is_lock_held(left / ".gausscse.lock")) ::poll(nullptr, 0, 5);
}

/// A rank may wait for a host that is gone. Its clock is moved by hand.
TEST_F(TrialAttemptTest, EndsATrainingOfWhichNothingIsSeen) {
  begin(seed_deaf_to_requests);
  settings.silence = 1000;
  poll_until_it_waits();
  const auto wait_seconds = [&](int seconds) {
    ahead += std::chrono::seconds(seconds);
    return attempt->poll();
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(wait_seconds(450));
    EXPECT_FALSE(wait_seconds(450));
    write_progress(attempt->folder() / "progress.json", {TrainingPhase::training, i + 1, 100, 1, 1});
  }
  EXPECT_FALSE(wait_seconds(450));
  EXPECT_FALSE(wait_seconds(5000)) << "a worker that was stopped itself has seen nothing";
  EXPECT_FALSE(wait_seconds(450));
  write_bytes(attempt->folder() / "log.txt", "a line");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(wait_seconds(450));
  std::optional<AttemptEnd> end = wait_seconds(450);
  while (!end) end = attempt->poll();
  EXPECT_EQ(*end, AttemptEnd::machine_failed);
  EXPECT_EQ(attempt->problem(),
            concat("it was silent for 16m40s (neither its log nor its progress changed) and was killed: it reported no "
                   "error; ",
                   (attempt->folder() / "log.txt").string(), " ends with \"a line\""));
  EXPECT_TRUE(left_in("failed").empty());
  EXPECT_EQ(read_attempts(attempt->folder()).machine_failures, 1);
}

/// It waits for its part of an allocation, and says nothing meanwhile.
TEST_F(TrialAttemptTest, LetsSrunWaitForTwelveHours) {
  write_bytes(folder / "srun", "#!/bin/sh\nexec sleep 600\n");
  fs::permissions(folder / "srun", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", concat(folder.path().string(), ":", path).c_str(), 1);
  begin(1);
  settings.silence = 1000;
  settings.resources.launcher = setting::Launcher::srun;
  ASSERT_FALSE(attempt->poll());
  ::setenv("PATH", path.c_str(), 1);
  std::optional<AttemptEnd> end;
  constexpr int looks_before_twelve_hours = 12 * 3600 / 450 - 1;
  for (int i = 0; i < looks_before_twelve_hours; ++i) {
    ahead += std::chrono::seconds(450);
    ASSERT_FALSE(attempt->poll()) << i;
  }
  ahead += std::chrono::seconds(450);
  while (!end) end = attempt->poll();
  EXPECT_EQ(*end, AttemptEnd::machine_failed);
  EXPECT_TRUE(says(attempt->problem(), "it was silent for 12h"));
}

/// The kernel may have kept it in memory until then.
TEST_F(TrialAttemptTest, FlushesTheLogBeforeItCommits) {
  bool observer = false;
  for (std::size_t k = 1; !observer; ++k) {
    fs::remove_all(study.results());
    begin(1);
    start_before_gate();
    open_gate();
    const pid_t process = static_cast<pid_t>(read_attempts(attempt->folder()).process.number);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT), 0);
    const FaultInjection fault(k, Fault::io_error);
    try {
      attempt->poll();
    } catch (const SystemError& error) {
      observer = says(error.what(), "log.txt: fsync: Input/output error");
    }
    ASSERT_TRUE(fault.fired()) << "no call but these is made, and none flushes the log";
    EXPECT_TRUE(!observer || left_in("trials").empty());
  }
}

TEST_F(TrialAttemptTest, NotesThatItHasEndedAndWhatItTook) {
  begin(seed_that_waits,
        {.generation = 1, .worker = "other", .started = 2, .seconds = 1000, .hosts = {}, .process = {}});
  poll_until_it_waits();
  const Attempts running = read_attempts(attempt->folder());
  EXPECT_GT(running.process.number, 1);
  EXPECT_EQ(running.earlier_seconds, 1000);
  ahead = std::chrono::seconds(20);
  attempt->ask_to_stop();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::interrupted);
  const Attempts ended = read_attempts(attempt->folder());
  EXPECT_EQ(ended.process.number, 0);
  EXPECT_GE(ended.seconds, 1020);
  EXPECT_LT(ended.seconds, 1050);
}

TEST_F(TrialAttemptTest, OfATrialThatAnotherOneCommittedLeavesNothing) {
  begin(1);
  start_before_gate();
  // A done one, as if the first claim had been lost for a moment.
  const fs::path done = study.results() / "trials" / identity();
  fs::create_directory(done);
  write_bytes(done / "result.h5", "1234");
  RunRecord run;
  run.result_bytes = 4;
  write_run_record(done / "run.json", run);
  write_bytes(done / "report.json", json_report(StateResult{"last", 4, {}}));
  open_gate();
  EXPECT_EQ(end_of_attempt(), AttemptEnd::done_before);
  EXPECT_EQ(fs::file_size(done / "result.h5"), 4u);
  EXPECT_TRUE(left_in("unfinished").empty());
  EXPECT_TRUE(left_in("claims").empty());
}

}  // namespace
}  // namespace gausscse
