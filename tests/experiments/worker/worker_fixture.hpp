#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/worker/run_study.hpp"
#include "experiments/worker/study_planner.hpp"
#include "experiments/worker/worker.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse::testing_support {

using Seeds = std::vector<std::int64_t>;

/// A worker in the test's own process.
class WorkerTest : public testing::Test {
 protected:
  int run(const StudyRunOptions& options) { return run_study(options, stop, told); }
  int run() { return run(study.options()); }

  /// Runs a worker with `slots` trials side by side, regardless of the machine, and with another clock.
  int run_in_slots(std::size_t slots, const SteadyNow& now = std::chrono::steady_clock::now) {
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    const WorkerSettings settings{
        .attempts = {.results = study.results(), .program = GAUSSCSE_FAKE_TRAIN, .resources = {}, .lease = 60},
        .manifest_file = study.manifest(),
        .slots = std::vector<TrialSlot>(slots),
        .selection = {},
        .pause_milliseconds = 5};
    return Worker(settings, planner, stop, told, now).run();
  }

  TemporaryFolder folder;
  SmallStudy study{folder.path()};
  ScriptedStop stop;
  RecordingObserver told;
};

}  // namespace gausscse::testing_support
