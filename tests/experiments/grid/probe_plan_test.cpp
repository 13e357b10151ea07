#include "experiments/grid/probe_plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/experiments/grid/cost_law.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using testing_support::trial_of;

const std::vector<std::int64_t> two_sizes{16, 128};

std::vector<std::string> tasks_in(const ProbeRun& run) {
  std::vector<std::string> names;
  for (const TaskSettings& task : run.trial.tasks) names.push_back(task.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ProbeRuns, AreFewAndShort) {
  Trial trial = trial_of(32);
  trial.training.checkpoint_every = 1;
  trial.training.checkpoint_minutes = 5;
  const std::vector<ProbeRun> runs = probe_runs(trial, two_sizes);
  ASSERT_EQ(runs.size(), 5u);
  EXPECT_EQ(runs[0].purpose, ProbePurpose::warm_up);
  EXPECT_EQ(runs[0].trial.training.max_steps, 1);
  EXPECT_EQ(runs[1].purpose, ProbePurpose::steps);
  EXPECT_EQ(runs[1].trial.training.batch_size, 16);
  EXPECT_EQ(runs[1].trial.training.max_steps, 6);
  EXPECT_EQ(runs[2].purpose, ProbePurpose::steps);
  EXPECT_EQ(runs[2].trial.training.batch_size, 128);
  EXPECT_EQ(runs[2].trial.training.max_steps, 3);
  EXPECT_EQ(runs[3].purpose, ProbePurpose::measurement);
  EXPECT_EQ(runs[3].trial.training.max_steps, 1);
  EXPECT_EQ(runs[3].trial.training.batch_size, 16);
  EXPECT_EQ(tasks_in(runs[3]), (Names{"dev", "test"}));
  EXPECT_EQ(runs[4].purpose, ProbePurpose::period);
  EXPECT_EQ(runs[4].eval_every, 50);
  EXPECT_EQ(tasks_in(runs[4]), Names{"dev"});
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_TRUE(tasks_in(runs[i]).empty());
  for (const ProbeRun& run : runs) {
    EXPECT_EQ(run.trial.select, Trial::Select{});
    EXPECT_EQ(run.trial.training.checkpoint_every, 0);
    EXPECT_EQ(run.trial.training.checkpoint_minutes, 0);
    EXPECT_EQ(run.trial.model, trial_of(32).model);
    for (const TaskSettings& task : run.trial.tasks) EXPECT_EQ(task.eval_every, 0);
  }
}

TEST(ProbeRuns, MeasureThePeriodsThatTheMeasurementDoesNotTell) {
  Trial trial = trial_of(16);
  trial.tasks[0].eval_every = trial.tasks[1].eval_every = 20;
  EXPECT_EQ(probe_runs(trial, two_sizes).size(), 4u);
  trial.tasks.push_back({.name = "third",
                         .eval_every = 10,
                         .of_kind = NliTaskSettings{.file = "/data/third.jsonl", .threshold = "test"}});
  const std::vector<ProbeRun> runs = probe_runs(trial, two_sizes);
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[4].eval_every, 10);
  EXPECT_EQ(tasks_in(runs[4]), (Names{"test", "third"}));
  EXPECT_EQ(runs[5].eval_every, 20);
  EXPECT_EQ(tasks_in(runs[5]), (Names{"dev", "test"}));
  trial.tasks.clear();
  EXPECT_EQ(probe_runs(trial, two_sizes).size(), 3u);
}

TEST(ProbeRuns, TakeFewerStepsFrom64ExamplesOn) {
  const std::vector<std::int64_t> sizes{63, 64};
  const std::vector<ProbeRun> runs = probe_runs(trial_of(32), sizes);
  EXPECT_EQ(runs.at(1).trial.training.max_steps, 6);
  EXPECT_EQ(runs.at(2).trial.training.max_steps, 3);
}

TEST(MiddleOfOutcomes, IsOfMedianTimesAndEnoughMemoryAndDisk) {
  const std::vector<ProbeOutcome> outcomes{
      {.seconds = 3, .step_seconds = {1, 0.5, 0.25}, .memory_bytes = 100, .disk_bytes = 7, .examples = 5},
      {.seconds = 9, .step_seconds = {2, 0.125}, .memory_bytes = 300, .disk_bytes = 3, .examples = 5},
      {.seconds = 4, .step_seconds = {3, 0.25, 0.75}, .memory_bytes = 200, .disk_bytes = 9, .examples = 5}};
  const ProbeOutcome middle = middle_of(outcomes);
  EXPECT_DOUBLE_EQ(middle.seconds, 4);
  EXPECT_EQ(middle.step_seconds, (std::vector<double>{2, 0.25, 0.5}));
  EXPECT_EQ(middle.memory_bytes, 300u);
  EXPECT_EQ(middle.disk_bytes, 9u);
  EXPECT_EQ(middle.examples, 5);
  // Between the two in the middle.
  EXPECT_DOUBLE_EQ(middle_of(std::span(outcomes).first(2)).seconds, 6);
  EXPECT_EQ(middle_of(std::span(outcomes).first(2)).step_seconds, (std::vector<double>{1.5, 0.3125, 0.25}));
}

TEST(ProbeRecordOfOutcomes, TakesApartWhatTheRunsTook) {
  const Trial trial = trial_of(32);
  const std::vector<ProbeRun> runs = probe_runs(trial, two_sizes);
  // Start 2 s, a first step of 1 s, then medians of 0.3 and 0.5 s (with the first step 0.35 and 0.55), both tasks 3 s
  // and the first of them 0.75 s.
  const std::vector<ProbeOutcome> outcomes{
      {.seconds = 99, .step_seconds = {9}, .memory_bytes = 9999, .disk_bytes = 1, .examples = 1234},
      {.seconds = 4.5, .step_seconds = {1, 0.2, 0.4, 0.1, 0.5, 0.3}, .memory_bytes = 100, .disk_bytes = 2},
      {.seconds = 5.5, .step_seconds = {1, 0.6, 0.4, 0.3, 0.7, 0.5}, .memory_bytes = 300, .disk_bytes = 3},
      {.seconds = 6, .step_seconds = {1}, .memory_bytes = 200, .disk_bytes = 50},
      {.seconds = 3.75, .step_seconds = {1}, .memory_bytes = 150, .disk_bytes = 4}};
  const ProbeRecord record = probe_record_of(trial, runs, outcomes, 2, 3);
  EXPECT_EQ(record.ranks, 2);
  EXPECT_EQ(record.threads, 3);
  EXPECT_EQ(record.examples, 1234);
  EXPECT_NEAR(record.start_seconds, 2, 1e-9);
  EXPECT_NEAR(record.measurement_seconds, 3, 1e-9);
  ASSERT_EQ(record.periods.size(), 1u);
  EXPECT_EQ(record.periods[0].eval_every, 50);
  EXPECT_NEAR(record.periods[0].seconds, 0.75, 1e-9);
  ASSERT_EQ(record.steps.size(), 2u);
  EXPECT_EQ(record.steps[0].batch_size, 16);
  EXPECT_NEAR(record.steps[0].seconds, 0.3, 1e-9);
  EXPECT_EQ(record.steps[0].memory_bytes, 200u);
  EXPECT_EQ(record.steps[1].batch_size, 128);
  EXPECT_NEAR(record.steps[1].seconds, 0.5, 1e-9);
  EXPECT_EQ(record.steps[1].memory_bytes, 300u);
  EXPECT_EQ(record.disk_bytes, 50u);
}

/// What starts slowly is of the first step alone, however few there are; a probe of one step has no other.
TEST(ProbeRecordOfOutcomes, LeaveTheFirstStepOutOfTheStepTime) {
  const std::vector<std::int64_t> sizes{128};
  const std::vector<ProbeRun> runs = probe_runs(trial_of(32), sizes);
  const auto step_seconds = [&](const std::vector<double>& seconds) {
    std::vector<ProbeOutcome> outcomes(runs.size());
    outcomes[0].step_seconds = {1};
    outcomes[1].step_seconds = seconds;
    return probe_record_of(trial_of(32), runs, outcomes, 1, 1).steps.at(0).seconds;
  };
  EXPECT_DOUBLE_EQ(step_seconds({8, 0.5, 0.75}), 0.625);
  EXPECT_DOUBLE_EQ(step_seconds({0.25, 0.5, 0.75}), 0.625) << "nor where it is the quickest";
  EXPECT_DOUBLE_EQ(step_seconds({8, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(step_seconds({8}), 8);
}

TEST(ProbeRecordOfOutcomes, TakesTheMeasurementForThePeriodOfAllTasks) {
  Trial trial = trial_of(32);
  trial.tasks[0].eval_every = trial.tasks[1].eval_every = 20;
  const std::vector<std::int64_t> sizes{32};
  const std::vector<ProbeRun> runs = probe_runs(trial, sizes);
  const std::vector<ProbeOutcome> outcomes{{.seconds = 9, .step_seconds = {1}, .examples = 5},
                                           {.seconds = 4, .step_seconds = {1, 1}},
                                           {.seconds = 7.5, .step_seconds = {1}}};
  const ProbeRecord record = probe_record_of(trial, runs, outcomes, 1, 1);
  EXPECT_EQ(record.periods, (std::vector<ProbeRecord::Period>{{20, 4.5}}));
  EXPECT_NEAR(record.measurement_seconds, 4.5, 1e-9);
}

TEST(ExamplesInLog, AreThoseOfTheTrainingData) {
  EXPECT_EQ(examples_in_log("12:00:00 info: 1 ranks, 2 examples, x\n12:00:01 info: training data: 30 pairs or rows "
                            "read, 0 without gold label, 0 duplicates, 9 premises, 275601 examples, 7 sentences, 5 "
                            "tokens\n12:00:02 info: 4 examples, \n"),
            275601);
  for (const std::string log : {"", "training data: 30 pairs", "5 examples, ", "training data: x examples, ",
                                "training data: 0 examples, ", "training data:  examples, "})
    EXPECT_TRUE(says(refusal_of([&] { examples_in_log(log); }), "log of a training")) << log;
}

}  // namespace
}  // namespace gausscse
