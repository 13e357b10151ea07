#pragma once

#include <chrono>

#include "experiments/manifest/manifest.hpp"
#include "experiments/worker/run_study.hpp"
#include "experiments/worker/study_planner.hpp"
#include "experiments/worker/worker.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

using Seeds = std::vector<std::int64_t>;

/// A worker in the test's own process.
class WorkerTest : public testing::Test {
 protected:
  int run(const StudyRunOptions& options) { return run_study(options, stop, observer); }
  int run() { return run(study.options()); }

  /// Runs a worker with `slots` trials side by side, regardless of the machine, and with another clock; `change`
  /// changes its settings before.
  int run_in_slots(
      std::size_t slots, const SteadyNow& now = std::chrono::steady_clock::now,
      const std::function<void(WorkerSettings&)>& change = [](WorkerSettings&) {}) {
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    WorkerSettings settings{
        .attempts = {.results = study.results(), .program = GAUSSCSE_FAKE_TRAIN, .resources = {}, .lease = 60},
        .manifest_file = study.manifest(),
        .slots = std::vector<TrialSlot>(slots),
        .selection = {},
        .pause_milliseconds = 5};
    change(settings);
    return Worker(std::move(settings), planner, stop, observer, now).run();
  }
  /// Runs a worker with these trials alone.
  int run_only(const std::vector<std::string>& only) {
    StudyRunOptions options = study.options();
    options.only = only;
    return run(options);
  }
  /// Returns the names in a folder of the results, sorted.
  std::vector<std::string> names(const char* name) const { return sorted_names_in(study.results() / name); }

  TemporaryFolder folder;
  SmallStudy study{folder.path()};
  ScriptedStop stop;
  RecordingObserver observer;
};

}  // namespace gausscse
