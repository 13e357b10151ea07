#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "experiments/grid/run_study.hpp"
#include "tests/grid/small_study.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse::testing_support {

using Seeds = std::vector<std::int64_t>;

/// A worker in the test's own process.
class WorkerTest : public testing::Test {
 protected:
  int run(const StudyRunOptions& options) { return run_study(options, stop, told); }
  int run() { return run(study.options()); }

  TemporaryFolder folder;
  SmallStudy study{folder.path()};
  ScriptedStop stop;
  RecordingObserver told;
};

}  // namespace gausscse::testing_support
