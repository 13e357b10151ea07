#include <gtest/gtest.h>

#include "experiments/claims/attempts.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/worker/study_folder.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

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

  /// Takes the trial from its holder, as a worker does who saw no renewal for a lease, and leaves it again.
  void take_over_and_leave() {
    const std::set<long> held = generations_of(study.results() / "claims", identity);
    std::unique_ptr<Claim> claim;
    if (held.empty())
      claim = Claims(study.results(), 60, std::chrono::steady_clock::now, this_process_identity()).acquire(identity);
    else
      claim = Claim::create(study.results() / "claims", identity, *held.rbegin() + 1,
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
  std::size_t taken_from_it = 0;
  bool delayed = true;
  for (std::size_t k = 1; delayed; ++k) {
    leave_an_attempt();
    told.lines.clear();
    FaultInjection injection(k, [&] {
      if (fs::exists(study.results() / "claims")) {
        taken_from_it += !generations_of(study.results() / "claims", identity).empty();
        take_over_and_leave();
      }
    });
    ASSERT_NO_THROW(ASSERT_EQ(run_in_slots(1), 0)) << "call " << k << "\n" << told.lines;
    injection.stop();
    delayed = injection.fired();
    EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{1}) << "call " << k;
    for (const char* empty : {"claims", "unfinished", "failed"}) EXPECT_TRUE(names(empty).empty()) << empty << k;
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(taken_from_it, 20u);
  RecordProperty("calls", static_cast<int>(taken_from_it));
  std::printf("%zu\n", taken_from_it);
}

}  // namespace
}  // namespace gausscse
