#include "tests/launcher/disturbed_runs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.hpp"
#include "experiments/checkpoint/checkpoint_folder.hpp"
#include "experiments/results/result_file.hpp"

namespace gausscse::testing_support {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_model = std::size_t{64} << 20;

}  // namespace

ProgramRun train(const TinyProject& project, const std::string& output, const RunSettings& settings,
                 const std::vector<std::string>& overrides) {
  return run_program(train_arguments(project, output, overrides), settings);
}

RunSettings with_kill(long call) {
  return {.environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL}, {"GAUSSCSE_TEST_KILL_AT", std::to_string(call)}},
          .disturbed = true};
}

RunSettings with_kill_of_rank(int ranks, int rank, int all_reduce) {
  return {.ranks = ranks,
          .environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL},
                          {"GAUSSCSE_TEST_KILL_RANK", std::to_string(rank)},
                          {"GAUSSCSE_TEST_KILL_AT_ALL_REDUCE", std::to_string(all_reduce)}},
          .disturbed = true};
}

RunSettings with_signal(RunSettings settings, int signal) {
  settings.environment.emplace_back("GAUSSCSE_TEST_SIGNAL", std::to_string(signal));
  return settings;
}

long calls_of_a_run(const TinyProject& project, const std::vector<std::string>& overrides) {
  const fs::path count = project.output("calls");
  RunSettings settings;
  settings.environment = {{"LD_PRELOAD", GAUSSCSE_KILL_AT_CALL}, {"GAUSSCSE_TEST_CALLS", count.string()}};
  const ProgramRun run = train(project, "whole", settings, overrides);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  return std::atol(read_whole_file(count, 100).c_str());
}

void kill_after_two_checkpoints(const TinyProject& project, const std::string& output) {
  for (long call = calls_of_a_run(project); call > 0; --call) {
    fs::remove_all(project.output(output));
    const ProgramRun run = train(project, output, with_kill(call));
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 137) << run.exit_code << ": " << run.errors;
    if (!fs::exists(project.output(output) / "result.h5") &&
        CheckpointFolder(project.output(output) / "checkpoints").steps().size() == 2)
      return;
  }
  FAIL() << "no kill left two checkpoints";
}

std::int64_t best_step_of(const fs::path& run) {
  return read_result(run / "result.h5").states.at(0).step;
}

void expect_same_result(const fs::path& one, const fs::path& other) {
  const RunResult a = read_result(one / "result.h5"), b = read_result(other / "result.h5");
  EXPECT_EQ(a.training.step, b.training.step);
  EXPECT_EQ(a.training.loss, b.training.loss);
  EXPECT_EQ(a.training.learning_rate, b.training.learning_rate);
  EXPECT_EQ(a.training.gradient_norm, b.training.gradient_norm);
  EXPECT_EQ(a.dev.step, b.dev.step);
  EXPECT_EQ(a.dev.auprc, b.dev.auprc);
  EXPECT_EQ(a.dev.direction_sim, b.dev.direction_sim);
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].step, b.states[i].step);
    EXPECT_EQ(a.states[i].dev.threshold, b.states[i].dev.threshold);
    ASSERT_EQ(a.states[i].tests.size(), b.states[i].tests.size());
    for (std::size_t k = 0; k < a.states[i].tests.size(); ++k) {
      EXPECT_EQ(a.states[i].tests[k].metrics.auprc, b.states[i].tests[k].metrics.auprc);
      EXPECT_EQ(a.states[i].tests[k].scores.sim_hypothesis_premise, b.states[i].tests[k].scores.sim_hypothesis_premise);
    }
  }
  for (const char* file : {"model.safetensors", "gaussian_head.safetensors"}) {
    EXPECT_TRUE(read_whole_file(one / "model" / file, largest_model) ==
                read_whole_file(other / "model" / file, largest_model))
        << file;
  }
}

void expect_same_run(const fs::path& one, const fs::path& other) {
  ASSERT_NO_FATAL_FAILURE(expect_same_result(one, other));
  EXPECT_FALSE(fs::exists(other / "checkpoints"));
  EXPECT_FALSE(fs::exists(other / ".lock"));
}

}  // namespace gausscse::testing_support
