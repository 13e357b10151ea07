#include "experiments/claims/attempts.hpp"
#include "experiments/claims/claim.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/worker/study_folder.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A worker that sleeps for longer than its lease, before any of its calls of the system, and another one meanwhile.
class TakenOverWorker : public WorkerTest {
 protected:
  /// Returns a worker's folder of results in which an attempt on the only trial was left.
  void leave_an_attempt() {
    fs::remove_all(study.results());
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    planner.plan();
    identity = planner.trials().at(0).planned.identity;
    make_study_folders(study.results());
    const fs::path left = take_over_folder(study.results(), identity, 1);
    Attempts attempts;
    attempts.generation = attempts.started = 1;
    write_attempts(left, attempts);
    write_bytes(left / "log.txt", "of an earlier attempt\n");
    write_bytes(left / "log.html", "mine\n");
  }

  /// Returns the exit code of a worker that looks at claims many times a second.
  int run_with_short_lease() {
    return run_in_slots(1, std::chrono::steady_clock::now,
                        [](WorkerSettings& settings) { settings.attempts.lease = 0.4; });
  }

  /// Takes the trial from its holder, as a worker does who saw no renewal for a lease, and leaves it again.
  void take_over_and_leave() {
    const long held = *generations_of(study.results() / "claims", identity).rbegin();
    const std::unique_ptr<Claim> claim = Claim::create(study.results() / "claims", identity, held + 1,
                                                       {.worker = "another", .process = this_process_identity()});
    ASSERT_TRUE(claim);
    take_over_folder(study.results(), identity, claim->generation());
    if (!look_at_trial(study.results(), identity).done.empty())
      remove_leftovers(study.results(), identity, claim->generation());
    claim->release();
  }

  std::string identity;
};

TEST_F(TakenOverWorker, LeavesTheTrialAndTakesItAgainOnceItIsLeft) {
  study.write_manifest({1});
  constexpr std::size_t stride = 3;  // each of some 150 calls takes half a minute
  std::size_t calls = 0;
  for (bool is_taken = true; is_taken && !HasFailure(); calls += stride) {
    leave_an_attempt();
    observer.lines.clear();
    is_taken = false;
    std::size_t calls_with_claim = 0;
    FaultInjection injection([&] {
      if (is_taken || generations_of(study.results() / "claims", identity).empty()) return;
      if (calls_with_claim++ < calls) return;
      is_taken = true;
      take_over_and_leave();
    });
    ASSERT_NO_THROW(EXPECT_EQ(run_with_short_lease(), 0)) << "call " << calls << "\n" << observer.lines;
    injection.stop();
    EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{1}) << "call " << calls;
    for (const char* empty : {"claims", "unfinished", "failed"})
      EXPECT_TRUE(names(empty).empty()) << empty << ", call " << calls;
  }
  EXPECT_GT(calls, 50u);
}

}  // namespace
}  // namespace gausscse
