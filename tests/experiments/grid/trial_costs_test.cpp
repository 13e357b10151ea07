#include "experiments/grid/trial_costs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/experiments/grid/cost_law.hpp"

namespace gausscse {
namespace {

using testing_support::CostLaw;
using testing_support::trial_of;

Resources on(std::int64_t ranks, std::int64_t threads) {
  Resources resources;
  resources.ranks = ranks;
  resources.threads = threads;
  return resources;
}

ProbeRecord probe_of(const CostLaw& law, const std::vector<std::int64_t>& batch_sizes) {
  ProbeRecord probe{.examples = law.examples,
                    .start_seconds = law.start,
                    .measurement_seconds = law.dev + law.test,
                    .periods = {{.eval_every = 50, .seconds = law.dev}},
                    .steps = {},
                    .disk_bytes = law.disk_bytes};
  for (const std::int64_t size : batch_sizes)
    probe.steps.push_back(
        {.batch_size = size, .seconds = law.step(trial_of(size)), .memory_bytes = law.memory(trial_of(size))});
  return probe;
}

TEST(TrialCosts, KnowNothingOfWhatNoTrialIsLike) {
  const CostLaw law;
  TrialCosts costs;
  EXPECT_FALSE(costs.expected(trial_of(64)));
  costs.learn(trial_of(64), law.run(trial_of(64)));
  ASSERT_TRUE(costs.expected(trial_of(64)));
  Trial other = trial_of(64);
  other.model.backbone.path = "/models/bert";
  EXPECT_FALSE(costs.expected(other));
  other = trial_of(64);
  other.data.train = {"/data/other.csv"};
  EXPECT_FALSE(costs.expected(other));
  EXPECT_FALSE(costs.expected(trial_of(64, 1, Loss::ent)));
}

TEST(TrialCosts, OfTheSameSizesAreTheMedian) {
  TrialCosts costs;
  Trial trial = trial_of(32);
  for (const double start : {2.0, 4.0, 3.0, 1000.0, 1.0}) {
    CostLaw law;
    law.start = start;
    trial.training.seed = static_cast<std::int64_t>(start);
    trial.training.learning_rate = start;
    costs.learn(trial, law.run(trial));
  }
  CostLaw law;
  law.start = 3;
  const auto cost = costs.expected(trial_of(32));
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds, law.seconds(trial_of(32)), 1e-9);
  EXPECT_EQ(cost->memory_bytes, law.memory(trial_of(32)));
  EXPECT_EQ(cost->disk_bytes, law.disk_bytes);
}

TEST(TrialCosts, GrowWithTheNumberOfSteps) {
  const CostLaw law;
  TrialCosts costs;
  costs.learn(trial_of(64), law.run(trial_of(64)));
  costs.learn(trial_of(64, 3), law.run(trial_of(64, 3)));
  for (const std::int64_t epochs : {1, 2, 3, 10}) {
    const Trial trial = trial_of(64, epochs);
    EXPECT_NEAR(costs.expected(trial)->seconds, law.seconds(trial), 1e-6) << epochs;
  }
  Trial given = trial_of(64, 3);
  given.training.max_steps = 777;
  EXPECT_NEAR(costs.expected(given)->seconds, law.seconds(given), 1e-6);
}

TEST(TrialCosts, OfOtherBatchSizesLieOnALine) {
  const CostLaw law;
  TrialCosts costs;
  for (const std::int64_t size : {16, 64}) costs.learn(trial_of(size), law.run(trial_of(size)));
  for (const std::int64_t size : {8, 32, 128}) {
    const Trial trial = trial_of(size);
    const auto cost = costs.expected(trial);
    ASSERT_TRUE(cost) << size;
    // The number of examples is known but for one batch of 16.
    EXPECT_NEAR(cost->seconds / law.seconds(trial), 1, 0.01) << size;
    EXPECT_NEAR(static_cast<double>(cost->memory_bytes), static_cast<double>(law.memory(trial)), 1) << size;
  }
}

TEST(TrialCosts, OfAnotherBatchSizeAreInProportionWhereOneIsKnown) {
  CostLaw law;
  law.each_step = 0;
  law.start = 0;
  law.test = law.dev;
  TrialCosts costs;
  costs.learn(trial_of(64), law.run(trial_of(64)));
  EXPECT_NEAR(costs.expected(trial_of(16))->seconds / law.seconds(trial_of(16)), 1, 0.01);
  EXPECT_NEAR(costs.expected(trial_of(256))->seconds / law.seconds(trial_of(256)), 1, 0.02);
  // Memory rather too much than too little.
  EXPECT_EQ(costs.expected(trial_of(16))->memory_bytes, law.memory(trial_of(64)));
  EXPECT_EQ(costs.expected(trial_of(128))->memory_bytes, 2 * law.memory(trial_of(64)));
}

TEST(TrialCosts, NumberOfExamplesLiesBetweenWhatAllSizesTell) {
  CostLaw law;
  law.examples = 1039;
  law.start = 0;
  law.test = law.dev;
  TrialCosts costs;
  // 1 step of 1000, 10 steps of 100 and 3 of 300: between 1000 and 1099.
  for (const std::int64_t size : {1000, 100, 300}) costs.learn(trial_of(size), law.run(trial_of(size)));
  Trial trial = trial_of(1, 2);
  EXPECT_NEAR(costs.expected(trial)->seconds / law.seconds(trial), 1, 0.02);
  Trial kept = trial_of(100);
  kept.data.last_batch = setting::LastBatch::keep;
  TrialCosts of_kept;
  RunRecord run = law.run(trial_of(100));
  run.steps = 11;
  of_kept.learn(kept, run);
  // 1001 to 1100 examples: 3 batches of 350 at most 1050, which is the middle.
  kept.training.batch_size = 350;
  kept.training.epochs = 4;
  const double step = run.step_seconds / 11 * 3.5;
  const double rest = run.seconds - run.step_seconds;
  EXPECT_NEAR(of_kept.expected(kept)->seconds, 12 * step + rest, 1e-9);
}

TEST(TrialCosts, NeedSomethingThatTellsTheNumberOfSteps) {
  const CostLaw law;
  Trial given = trial_of(64);
  given.training.max_steps = 100;
  TrialCosts costs;
  costs.learn(given, law.run(given));
  EXPECT_TRUE(costs.expected(given));
  EXPECT_FALSE(costs.expected(trial_of(64)));
  costs.learn(trial_of(64), law.run(trial_of(64)));
  EXPECT_NEAR(costs.expected(trial_of(64))->seconds, law.seconds(trial_of(64)), 1e-9);
}

TEST(TrialCosts, PreferTheSameObjectiveThenTheSameBatchSize) {
  CostLaw slow, fast;
  slow.each_example = 0.008;
  TrialCosts costs;
  costs.learn(trial_of(64, 1, Loss::ent_con_rev), slow.run(trial_of(64)));
  costs.learn(trial_of(32, 1, Loss::ent_con), fast.run(trial_of(32)));
  // Of this batch size only the other loss is known.
  EXPECT_NEAR(costs.expected(trial_of(64))->seconds / slow.seconds(trial_of(64)), 1, 0.01);
  costs.learn(trial_of(64, 1, Loss::ent_con), fast.run(trial_of(64)));
  costs.learn(trial_of(64, 1, Loss::ent_con_rev), slow.run(trial_of(64)));
  EXPECT_NEAR(costs.expected(trial_of(64))->seconds, fast.seconds(trial_of(64)), 1e-9);
  EXPECT_NEAR(costs.expected(trial_of(64, 1, Loss::ent_con_rev))->seconds, slow.seconds(trial_of(64)), 1e-9);
}

TEST(TrialCosts, AreThoseOfAsManyRanksAndThreads) {
  const CostLaw law;
  TrialCosts costs;
  RunRecord run = law.run(trial_of(64));
  run.ranks = 4;
  run.threads = 2;
  costs.learn(trial_of(64), run);
  const auto cost = costs.expected(trial_of(64), on(4, 2));
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->memory_bytes, 4 * law.memory(trial_of(64)));
  EXPECT_TRUE(costs.expected(trial_of(64)));
  EXPECT_FALSE(costs.expected(trial_of(64), on(2, 2)));
  EXPECT_FALSE(costs.expected(trial_of(64), on(4, 1)));
}

TEST(TrialCosts, TakeStartsOfInterruptedTrialsForOne) {
  const CostLaw law;
  TrialCosts costs;
  RunRecord twice = law.run(trial_of(64));
  twice.seconds += 500;
  twice.attempts = 2;
  costs.learn(trial_of(64), twice);
  EXPECT_NEAR(costs.expected(trial_of(64))->seconds, law.seconds(trial_of(64)) + 500, 1e-9);
  costs.learn(trial_of(64), law.run(trial_of(64)));
  EXPECT_NEAR(costs.expected(trial_of(64))->seconds, law.seconds(trial_of(64)), 1e-9);
}

TEST(TrialCosts, LearnNothingFromRecordsThatMakeNoSense) {
  const CostLaw law;
  const std::vector<std::function<void(RunRecord&)>> changes{[](RunRecord& run) { run.steps = 0; },
                                                             [](RunRecord& run) { run.seconds = NAN; },
                                                             [](RunRecord& run) { run.step_seconds = NAN; },
                                                             [](RunRecord& run) { run.step_seconds = 0; },
                                                             [](RunRecord& run) { run.seconds = run.step_seconds / 2; },
                                                             [](RunRecord& run) { run.ranks = 0; },
                                                             [](RunRecord& run) { run.threads = -1; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TrialCosts costs;
    RunRecord run = law.run(trial_of(64));
    changes[i](run);
    costs.learn(trial_of(64), run);
    EXPECT_FALSE(costs.expected(trial_of(64))) << i;
  }
}

TEST(TrialCosts, AreThoseOfAProbeBeforeAnythingIsDone) {
  const CostLaw law;
  TrialCosts costs;
  costs.learn(trial_of(32), probe_of(law, {16, 128}));
  for (const std::int64_t size : {16, 64, 128, 256}) {
    const Trial trial = trial_of(size, 2);
    const auto cost = costs.expected(trial);
    ASSERT_TRUE(cost) << size;
    EXPECT_NEAR(cost->seconds, law.seconds(trial), 1e-9) << size;
    EXPECT_EQ(cost->memory_bytes, law.memory(trial)) << size;
    EXPECT_EQ(cost->disk_bytes, law.disk_bytes);
  }
  // Nothing is measured twice where no state is selected.
  Trial last = trial_of(64);
  last.select = {};
  costs.learn(last, probe_of(law, {64}));
  EXPECT_NEAR(costs.expected(last)->seconds, law.seconds(trial_of(64)) - law.dev - law.test, 1e-9);
  // No step where no batch is full.
  EXPECT_FALSE(costs.expected(trial_of(10'008)));
}

TEST(TrialCosts, TakeTheProbeForWhatNoTrialTells) {
  CostLaw law;
  TrialCosts costs;
  costs.learn(trial_of(32), probe_of(law, {16, 128}));
  // Beside others all takes half as long again.
  law.start *= 1.5;
  law.each_step *= 1.5;
  law.each_example *= 1.5;
  law.dev *= 1.5;
  law.test *= 1.5;
  costs.learn(trial_of(16), law.run(trial_of(16)));
  for (const std::int64_t size : {16, 64, 128}) {
    const Trial trial = trial_of(size);
    EXPECT_NEAR(costs.expected(trial)->seconds, law.seconds(trial), 1e-6) << size;
  }
}

}  // namespace
}  // namespace gausscse
