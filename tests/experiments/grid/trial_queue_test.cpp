#include "experiments/grid/trial_queue.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gausscse {
namespace {

using Positions = std::vector<std::size_t>;

StudyPlanEntry entry(const char* identity, const char* model, std::int64_t steps) {
  StudyPlanEntry made;
  made.planned.identity = identity;
  made.trial.emplace();
  made.trial->model.backbone.path = model;
  made.trial->training.max_steps = steps;
  return made;
}

RunRecord run_of(std::int64_t steps, double step_seconds) {
  RunRecord run;
  run.steps = steps;
  run.step_seconds = step_seconds;
  run.seconds = step_seconds + 1;
  return run;
}

TEST(TrialQueue, BeginsWhatIsUnknownInTheOrderOfThePlanAndThenTheLongest) {
  const std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), entry("b", "/small", 200), entry("c", "/large", 1),
                                           entry("d", "/small", 100), entry("e", "/large", 2)};
  TrialQueue queue;
  EXPECT_EQ(queue.order(trials), (Positions{0, 1, 2, 3, 4}));
  for (const double seconds : queue.seconds()) EXPECT_TRUE(std::isinf(seconds));
  queue.learn(trials[3], run_of(100, 20));
  EXPECT_EQ(queue.order(trials), (Positions{2, 4, 1, 3, 0}));
  EXPECT_NEAR(queue.seconds().at(1), 41, 1e-9) << "200 steps of 0.2 s, and a second beside them";
}

TEST(TrialQueue, EstimatesAnewWhereThePlanHasBecomeAnotherOrATenthMoreIsDone) {
  std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), entry("b", "/small", 200)};
  TrialQueue queue;
  queue.learn(trials[0], run_of(50, 10));
  EXPECT_EQ(queue.order(trials), (Positions{1, 0}));
  trials.push_back(entry("c", "/small", 1000));
  EXPECT_EQ(queue.order(trials), (Positions{2, 1, 0}));
  // Of ten times as many steps a second each, and learned once.
  queue.learn(trials[0], run_of(50, 5000));
  EXPECT_NEAR(queue.seconds().at(0), 11, 1e-9);
}

TEST(TrialQueue, PassesOverWhatWaits) {
  std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), StudyPlanEntry{}};
  TrialQueue queue;
  queue.learn(trials[1], run_of(1, 1));
  EXPECT_EQ(queue.order(trials), (Positions{0, 1}));
}

}  // namespace
}  // namespace gausscse
