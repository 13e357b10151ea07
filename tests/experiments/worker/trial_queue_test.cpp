#include "experiments/worker/trial_costs.hpp"
#include "tests/support/testing.hpp"

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

RunRecord run_of(double seconds) {
  RunRecord run;
  run.seconds = seconds;
  return run;
}

TEST(TrialQueue, BeginsWhatIsUnknownInTheOrderOfThePlanAndThenTheLongest) {
  const std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), entry("b", "/small", 100), entry("c", "/large", 1),
                                           entry("d", "/small", 100), entry("e", "/large", 2)};
  TrialQueue queue;
  EXPECT_EQ(queue.order(trials), (Positions{0, 1, 2, 3, 4}));
  for (const double seconds : queue.seconds()) EXPECT_TRUE(std::isinf(seconds));
  queue.learn(trials[0], run_of(11));
  queue.learn(trials[3], run_of(21));
  EXPECT_EQ(queue.order(trials), (Positions{2, 4, 1, 3, 0}));
  EXPECT_EQ(queue.seconds().at(1), 21) << "as the other one of as many steps";
}

TEST(TrialQueue, EstimatesAnewWhereThePlanHasBecomeAnotherOrATenthMoreIsDone) {
  std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), entry("b", "/small", 200)};
  TrialQueue queue;
  queue.learn(trials[0], run_of(10));
  EXPECT_EQ(queue.order(trials), (Positions{1, 0}));
  trials.push_back(entry("c", "/small", 1000));
  EXPECT_EQ(queue.order(trials), (Positions{1, 2, 0}));
  queue.learn(trials[0], run_of(5000));
  queue.learn(trials[2], run_of(5));
  EXPECT_EQ(queue.order(trials), (Positions{1, 2, 0})) << "estimated before";
  queue.learn(trials[1], run_of(15));
  EXPECT_EQ(queue.order(trials), (Positions{1, 0, 2}));
  EXPECT_EQ(queue.seconds().at(0), 10) << "learned once";
}

TEST(TrialQueue, PassesOverWhatWaits) {
  std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), StudyPlanEntry{}};
  TrialQueue queue;
  queue.learn(trials[1], run_of(1));
  EXPECT_EQ(queue.order(trials), (Positions{0, 1}));
}

TEST(TrialQueue, LearnsFromTrialsOnItsRanksAndThreads) {
  Resources resources;
  resources.threads = 2;
  TrialQueue queue(resources);
  const std::vector<StudyPlanEntry> trials{entry("a", "/small", 50), entry("b", "/small", 50)};
  queue.learn(trials[0], run_of(10));
  queue.order(trials);
  EXPECT_TRUE(std::isinf(queue.seconds().at(1)));
}

}  // namespace
}  // namespace gausscse
