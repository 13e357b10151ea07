#include "experiments/grid/study_estimate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/experiments/grid/cost_law.hpp"

namespace gausscse {
namespace {

using testing_support::trial_of;
using enum TrialStatus;

Resources one_thread() {
  return {};
}

/// A trial of so many steps, each of which is expected to take a second.
StudyPlanEntry entry_of(const std::string& stage, const std::string& identity, std::int64_t steps,
                        std::vector<std::pair<std::string, std::string>> coordinates = {}) {
  StudyPlanEntry entry;
  entry.planned = {.stage = stage,
                   .coordinates = std::move(coordinates),
                   .seed = 0,
                   .identity = identity,
                   .waits_for = identity.empty() ? "another" : ""};
  if (identity.empty()) return entry;
  entry.trial = trial_of(64);
  entry.trial->tasks.clear();
  entry.trial->select = {};
  entry.trial->training.max_steps = steps;
  return entry;
}

/// Knows that a step takes a second, a trial of steps of `batch_size` this memory, and any 100 bytes of disk.
TrialCosts a_second_a_step(std::vector<std::pair<std::int64_t, std::uint64_t>> memory = {{64, 1000}}) {
  TrialCosts costs;
  Trial trial = *entry_of("", "x", 1).trial;
  for (const auto& [batch_size, bytes] : memory) {
    trial.training.batch_size = batch_size;
    RunRecord run;
    run.seconds = run.step_seconds = 1;
    run.steps = 1;
    run.peak_memory_bytes = bytes;
    run.disk_bytes = 100;
    costs.learn(trial, run);
  }
  return costs;
}

StudyEstimate estimate(const std::vector<StudyPlanEntry>& plan, const std::vector<TrialStatus>& statuses,
                       std::size_t slots) {
  return estimate_study(plan, statuses, a_second_a_step(), one_thread(), slots);
}

TEST(StudyEstimate, CountsWhatIsLeft) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "1", 10), entry_of("s", "2", 20), entry_of("s", "3", 30),
                                         entry_of("s", "4", 40), entry_of("s", "5", 50), entry_of("s", "6", 60),
                                         entry_of("t", "7", 70)};
  const StudyEstimate found = estimate(plan, {done, failed, running, interrupted, damaged, planned, planned}, 1);
  ASSERT_EQ(found.stages.size(), 2u);
  const WorkEstimate& first = found.stages[0];
  EXPECT_EQ(first.stage, "s");
  EXPECT_EQ(first.trials, 6u);
  EXPECT_EQ(first.done, 1u);
  EXPECT_EQ(first.failed, 1u);
  EXPECT_EQ(first.to_run, 4u);
  EXPECT_EQ(first.unknown, 0u);
  EXPECT_DOUBLE_EQ(first.seconds, 180);
  EXPECT_DOUBLE_EQ(first.one_by_one_seconds, 180);
  EXPECT_EQ(first.disk_bytes, 400u);
  EXPECT_EQ(first.memory_bytes, 1000u);
  EXPECT_EQ(found.stages[1].stage, "t");
  EXPECT_DOUBLE_EQ(found.stages[1].seconds, 70);
  EXPECT_EQ(found.whole.trials, 7u);
  EXPECT_EQ(found.whole.to_run, 5u);
  EXPECT_DOUBLE_EQ(found.whole.seconds, 250);
  EXPECT_EQ(found.whole.disk_bytes, 500u);
  EXPECT_EQ(found.trials[0].status, done);
  EXPECT_DOUBLE_EQ(found.trials[1].cost->seconds, 20);
}

TEST(StudyEstimate, GivesTheLongestTrialToTheSlotThatIsFreeFirst) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "1", 5), entry_of("s", "2", 3), entry_of("s", "3", 3),
                                         entry_of("s", "4", 4), entry_of("t", "5", 1)};
  const std::vector<TrialStatus> statuses(5, planned);
  // 0-5 and 5-8 in one slot, 0-4, 4-7 and 7-8 in the other.
  const StudyEstimate two = estimate(plan, statuses, 2);
  EXPECT_DOUBLE_EQ(two.whole.seconds, 8);
  EXPECT_DOUBLE_EQ(two.whole.one_by_one_seconds, 16);
  EXPECT_DOUBLE_EQ(two.stages[0].seconds, 8);
  EXPECT_DOUBLE_EQ(two.stages[1].seconds, 1);
  EXPECT_DOUBLE_EQ(estimate(plan, statuses, 1).whole.seconds, 16);
  EXPECT_DOUBLE_EQ(estimate(plan, statuses, 100).whole.seconds, 5);
}

TEST(StudyEstimate, OfATrialOfTwoStagesIsInTheSumsOfTheWholeOnce) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "1", 10), entry_of("s", "2", 5), entry_of("t", "1", 10),
                                         entry_of("t", "3", 2)};
  const StudyEstimate found = estimate(plan, std::vector<TrialStatus>(4, planned), 3);
  EXPECT_EQ(found.whole.trials, 4u) << "a row for each stage";
  EXPECT_EQ(found.whole.to_run, 4u);
  EXPECT_DOUBLE_EQ(found.whole.one_by_one_seconds, 17);
  EXPECT_DOUBLE_EQ(found.whole.seconds, 10) << "all three side by side";
  EXPECT_DOUBLE_EQ(estimate(plan, std::vector<TrialStatus>(4, planned), 1).whole.seconds, 17);
  EXPECT_EQ(found.whole.disk_bytes, 300u);
  EXPECT_EQ(estimate(plan, std::vector<TrialStatus>(4, planned), 4).whole.memory_bytes, 3000u);
  EXPECT_DOUBLE_EQ(found.stages[0].one_by_one_seconds, 15);
  EXPECT_DOUBLE_EQ(found.stages[1].one_by_one_seconds, 12) << "which is by itself";
  EXPECT_EQ(found.stages[1].disk_bytes, 200u);
}

TEST(StudyEstimate, LetsWhatWaitsBeginWhenAllBeforeIsThrough) {
  std::vector<StudyPlanEntry> plan{
      entry_of("choose", "1", 10, {{"system", "ent"}}), entry_of("choose", "2", 2, {{"system", "simcse"}}),
      entry_of("final", "", 0, {{"system", "simcse"}}), entry_of("final", "", 0, {{"system", "simcse"}})};
  // 10 and 2 side by side, then 2 and 2 side by side.
  EXPECT_DOUBLE_EQ(estimate(plan, {planned, planned, waiting, waiting}, 2).whole.seconds, 12);
  EXPECT_DOUBLE_EQ(estimate(plan, {planned, planned, waiting, waiting}, 2).stages[1].seconds, 2);
  // What does not wait goes on meanwhile.
  plan[2] = entry_of("final", "3", 2);
  plan[3] = entry_of("final", "4", 2);
  EXPECT_DOUBLE_EQ(estimate(plan, {planned, planned, planned, planned}, 2).whole.seconds, 10);
}

TEST(StudyEstimate, GuessesWhatWaitsByItsLabels) {
  const std::vector<StudyPlanEntry> plan{
      entry_of("choose", "1", 10, {{"model", "small"}, {"loss", "ent"}, {"size", "16"}}),
      entry_of("choose", "2", 30, {{"model", "small"}, {"loss", "ent"}, {"size", "32"}}),
      entry_of("choose", "3", 500, {{"model", "large"}, {"loss", "ent"}, {"size", "16"}}),
      entry_of("choose", "4", 900, {{"model", "small"}, {"loss", "rev"}, {"size", "16"}}),
      entry_of("final", "", 0, {{"loss", "ent"}, {"model", "small"}}),
      entry_of("final", "", 0, {{"loss", "other"}, {"model", "large"}}),
      entry_of("final", "", 0, {{"loss", "none"}, {"model", "none"}})};
  const StudyEstimate found = estimate(plan, {done, done, done, done, waiting, waiting, waiting}, 1);
  ASSERT_TRUE(found.trials[4].cost);
  EXPECT_TRUE(found.trials[4].guessed);
  EXPECT_FALSE(found.trials[3].guessed);
  EXPECT_DOUBLE_EQ(found.trials[4].cost->seconds, 20);
  EXPECT_EQ(found.trials[4].cost->memory_bytes, 1000u);
  EXPECT_EQ(found.trials[4].cost->disk_bytes, 100u);
  EXPECT_DOUBLE_EQ(found.trials[5].cost->seconds, 500);
  EXPECT_DOUBLE_EQ(found.trials[6].cost->seconds, 360);
  EXPECT_DOUBLE_EQ(found.whole.seconds, 880);
}

TEST(StudyEstimate, SaysWhatIsNotKnown) {
  std::vector<StudyPlanEntry> plan{entry_of("s", "1", 10), entry_of("s", "2", 20)};
  plan[1].trial->model.backbone.path = "/models/unknown";
  const StudyEstimate found = estimate(plan, {planned, planned}, 1);
  EXPECT_EQ(found.whole.unknown, 1u);
  EXPECT_EQ(found.whole.to_run, 2u);
  EXPECT_FALSE(found.trials[1].cost);
  EXPECT_DOUBLE_EQ(found.whole.seconds, 10);
  Resources others = one_thread();
  others.threads = 2;
  EXPECT_EQ(estimate_study(plan, std::vector{planned, planned}, a_second_a_step(), others, 1).whole.unknown, 2u);
}

TEST(StudyEstimate, AddsTheMemoryOfTheLargestTrialsSideBySide) {
  std::vector<StudyPlanEntry> plan{entry_of("s", "1", 1), entry_of("s", "2", 1), entry_of("t", "3", 1)};
  plan[0].trial->training.batch_size = 16;
  plan[1].trial->training.batch_size = 32;
  plan[2].trial->training.batch_size = 64;
  const TrialCosts costs = a_second_a_step({{16, 100}, {32, 1000}, {64, 10'000}});
  const std::vector<TrialStatus> statuses(3, planned);
  const StudyEstimate two = estimate_study(plan, statuses, costs, one_thread(), 2);
  EXPECT_EQ(two.whole.memory_bytes, 11'000u);
  EXPECT_EQ(two.stages[0].memory_bytes, 1100u);
  EXPECT_EQ(two.stages[1].memory_bytes, 10'000u);
  EXPECT_EQ(estimate_study(plan, statuses, costs, one_thread(), 1).whole.memory_bytes, 10'000u);
}

TEST(StatusesIn, AreThoseOfTheSameIdentities) {
  StudyResults results;
  const auto add = [&](const std::string& identity, TrialStatus status) {
    results.trials.emplace_back();
    results.trials.back().planned = entry_of("s", identity, 1).planned;
    results.trials.back().status = status;
  };
  add("1", done);
  add("", waiting);
  add("2", failed);
  const std::vector<StudyPlanEntry> plan{entry_of("s", "2", 1), entry_of("s", "3", 1), entry_of("s", "", 1),
                                         entry_of("s", "1", 1)};
  EXPECT_EQ(statuses_in(results, plan), (std::vector{failed, planned, waiting, done}));
}

}  // namespace
}  // namespace gausscse
