#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "experiments/dry_run/probe.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

/// Of the program itself: the model that a whole training leaves is the probe's, and disk is counted with it or not.
TEST(Probe, MeasuresTrialsOfTheProgram) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  Trial trial = read_trial(project.trial());
  trial.data.cache = folder / "tokens";
  trial.training.max_steps = 0;
  testing_support::train_to_result(project, "whole", 0, {});
  const auto model_bytes = static_cast<double>(bytes_of_folder(project.output("whole") / "model"));
  ASSERT_GT(model_bytes, 0);
  std::vector<double> disk_bytes;
  for (const bool keep_models : {true, false}) {
    TrialCosts costs;
    const std::vector<const Trial*> trials{&trial};
    EXPECT_EQ(learn_by_probes(trials,
                              {.resources = {},
                               .slots = std::vector<TrialSlot>(2),
                               .program = GAUSSCSE_PROGRAM,
                               .keep_models = keep_models,
                               .folder = folder / "probes"},
                              costs, [](std::size_t) {}),
              std::vector<std::string>());
    const auto cost = costs.expected(trial);
    ASSERT_TRUE(cost);
    EXPECT_GT(cost->seconds, 0);
    EXPECT_NEAR(cost->model_bytes, model_bytes, 0.01 * model_bytes) << "but for the text of its card";
    disk_bytes.push_back(cost->disk_bytes);
  }
  EXPECT_NEAR(disk_bytes[0] - disk_bytes[1], model_bytes, 0.01 * model_bytes);
  EXPECT_GT(disk_bytes[1], 0);
  EXPECT_TRUE(fs::is_empty(folder / "probes"));
}

}  // namespace
}  // namespace gausscse
