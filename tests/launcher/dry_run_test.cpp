#include "launcher/dry_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/experiments/grid/cost_law.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::says;
using testing_support::trial_of;
using enum TrialStatus;

using Numbers = std::vector<std::int64_t>;

TEST(NegativesOfAnchor, AreTheTermsOfTheDenominatorButOne) {
  EXPECT_EQ(negatives_of_anchor(trial_of(16, 1, Loss::ent)), Numbers{15});
  EXPECT_EQ(negatives_of_anchor(trial_of(16, 1, Loss::ent_con)), Numbers{31});
  EXPECT_EQ(negatives_of_anchor(trial_of(16, 1, Loss::ent_rev)), Numbers{31});
  EXPECT_EQ(negatives_of_anchor(trial_of(16, 1, Loss::ent_con_rev)), Numbers{47});
  Trial trial = trial_of(64, 1, Loss::ent);
  trial.objective.with_simcse = true;
  EXPECT_EQ(negatives_of_anchor(trial), (Numbers{63, 127}));
}

TEST(NegativesOfAnchor, OfCosinesFollowHardNegativesAndDirections) {
  Trial trial = trial_of(512);
  trial.objective.kind = ObjectiveKind::cosine_contrastive;
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{1023});
  trial.objective.directions = Directions::both;
  EXPECT_EQ(negatives_of_anchor(trial), (Numbers{1023, 511}));
  trial.objective.hard_negatives = false;
  EXPECT_EQ(negatives_of_anchor(trial), (Numbers{511, 511}));
  trial.objective.directions = Directions::one;
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{511});
  trial.objective.kind = ObjectiveKind::pair_classification;
  EXPECT_TRUE(negatives_of_anchor(trial).empty());
  trial.objective.kind = ObjectiveKind::augmented_classification;
  EXPECT_TRUE(negatives_of_anchor(trial).empty());
}

TEST(NegativesOfAnchor, OfSupervisedContrastAreAsManyAsItsLimitsLet) {
  Trial trial = trial_of(64);
  trial.objective = {.kind = ObjectiveKind::supervised_contrastive};
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{63});
  trial.objective.positives = 3;
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{63});
  trial.objective.negatives = 4;
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{6});
  trial.objective = {.kind = ObjectiveKind::sum,
                     .terms = {{"a", 0.5, {.kind = ObjectiveKind::pair_classification}},
                               {"b", 0.5, trial.objective},
                               {"c", 0, {.kind = ObjectiveKind::supervised_contrastive}}}};
  EXPECT_EQ(negatives_of_anchor(trial), Numbers{6});
}

/// A trial of `steps` steps without tasks, which take a second each where they are of 16 examples of triples.
StudyPlanEntry entry_of(const std::string& stage, const std::string& label, std::int64_t steps,
                        Loss loss = Loss::ent_con_rev) {
  StudyPlanEntry entry;
  entry.planned = {.stage = stage,
                   .coordinates = {{"system", label}},
                   .seed = 3,
                   .identity = steps > 0 ? label + std::string(20, '0') : "",
                   .waits_for = steps > 0 ? "" : "choose (2 of 3 trials)"};
  if (steps == 0) return entry;
  entry.trial = trial_of(16, 1, loss);
  entry.trial->tasks.clear();
  entry.trial->select = {};
  entry.trial->training.max_steps = steps;
  return entry;
}

TrialCosts known_costs() {
  TrialCosts costs;
  RunRecord run;
  run.seconds = run.step_seconds = 1;
  run.steps = 1;
  run.peak_memory_bytes = std::uint64_t{3} << 29;
  run.disk_bytes = 90 << 20;
  costs.learn(*entry_of("", "x", 1).trial, run);
  return costs;
}

const std::vector<StudyPlanEntry> three_and_two{
    entry_of("choose", "aaaaaaaaab", 60), entry_of("choose", "bbbbbbbbbb", 4000),
    entry_of("choose", "cccccccccc", 3, Loss::ent), entry_of("final", "aaaaaaaaab", 0), entry_of("final", "dddd", 0)};

TEST(DryRun, ListsTrialsByStageWithWhatTheyTake) {
  EXPECT_EQ(
      dry_run_text(three_and_two, std::vector{done, planned, interrupted, waiting, waiting}, known_costs(), Resources(),
                   1, false),
      "stage choose: 3 trials, 1 done, 2 to run\n"
      "trial                          status  identity  negatives   time   memory    disk\n"
      "choose bbbbbbbbbb seed 3      planned  bbbbbbbb         47  1h06m  1.5 GiB  90 MiB\n"
      "choose cccccccccc seed 3  interrupted  cccccccc         15      ?        ?       ?\n"
      "together: 1h06m, 1 trial at a time, memory 1.5 GiB, disk 90 MiB; without 1 trial of which nothing is known\n"
      "\n"
      "stage final: 2 trials, 0 done, 2 to run\n"
      "trial                     status  identity  negatives     time    memory     disk\n"
      "final aaaaaaaaab seed 3  waiting         -          -   ~1m00s  ~1.5 GiB  ~90 MiB\n"
      "final dddd seed 3        waiting         -          -  ~33m50s  ~1.5 GiB  ~90 MiB\n"
      "waits for choose (2 of 3 trials)\n"
      "together: 34m50s, 1 trial at a time, memory 1.5 GiB, disk 180 MiB\n"
      "\n"
      "study: 5 trials, 1 done, 4 to run\n"
      "together: 1h41m, 1 trial at a time, memory 1.5 GiB, disk 270 MiB; without 1 trial of which nothing is "
      "known\n");
}

TEST(DryRun, TellsWhatSideBySideSaves) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "a", 90), entry_of("s", "b", 60), entry_of("s", "c", 30)};
  EXPECT_TRUE(says(dry_run_text(plan, std::vector{planned, planned, planned}, known_costs(), Resources(), 2, false),
                   "together: 1m30s, 2 side by side (3m00s one by one), memory 3.0 GiB, disk 270 MiB\n"));
}

TEST(DryRun, PrintsNegativesOfEachLoss) {
  StudyPlanEntry entry = entry_of("s", "a", 1);
  entry.trial->objective.with_simcse = true;
  EXPECT_TRUE(says(dry_run_text({entry}, std::vector{planned}, known_costs(), Resources(), 1, false), " 47+31 "));
  entry.trial->objective.kind = ObjectiveKind::pair_classification;
  EXPECT_TRUE(says(dry_run_text({entry}, std::vector{planned}, known_costs(), Resources(), 1, false), " none "));
}

TEST(DryRun, AsksForRunsOnAsManyRanksAndThreads) {
  Resources resources;
  resources.threads = 2;
  EXPECT_TRUE(says(dry_run_text({three_and_two[0]}, std::vector{planned}, known_costs(), resources, 1, false),
                   "together: nothing is known of what they take\n"));
}

TEST(DryRun, CountsDoneTrialsAndListsThemWhereAllAreAskedFor) {
  const std::vector<TrialStatus> statuses{done, planned, interrupted, waiting, waiting};
  const std::string title = "choose aaaaaaaaab seed 3";
  EXPECT_EQ(dry_run_text(three_and_two, statuses, known_costs(), Resources(), 1, false).find(title), std::string::npos);
  EXPECT_TRUE(says(dry_run_text(three_and_two, statuses, known_costs(), Resources(), 1, true), title));
}

TEST(DryRun, SaysWhatIsNotKnown) {
  const std::string text = dry_run_text({three_and_two[0], three_and_two[2]}, std::vector{planned, failed},
                                        TrialCosts(), Resources(), 2, false);
  EXPECT_EQ(text,
            "stage choose: 2 trials, 0 done, 1 failed, 1 to run\n"
            "trial                      status  identity  negatives  time  memory  disk\n"
            "choose aaaaaaaaab seed 3  planned  aaaaaaaa         47     ?       ?     ?\n"
            "choose cccccccccc seed 3   failed  cccccccc         15     ?       ?     ?\n"
            "together: nothing is known of what they take\n"
            "\n"
            "study: 2 trials, 0 done, 1 failed, 1 to run\n"
            "together: nothing is known of what they take\n");
  EXPECT_EQ(dry_run_text({}, {}, TrialCosts(), Resources(), 2, false),
            "study: 0 trials, 0 done, 0 to run\ntogether: nothing to run\n");
}

TEST(DryRun, HasALineForEachOfManyTrials) {
  std::vector<StudyPlanEntry> plan;
  TrialCosts costs = known_costs();
  for (std::int64_t i = 0; i < 1000; ++i) {
    plan.push_back(entry_of("s", std::to_string(i), i + 1));
    RunRecord run;
    run.seconds = run.step_seconds = run.steps = i + 1;
    costs.learn(*plan.back().trial, run);
  }
  const std::string text = dry_run_text(plan, std::vector(1000, done), costs, Resources(), 2, true);
  // A line of the stage, the heading, the sums, an empty line and the two of the study.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1000 + 6);
  EXPECT_TRUE(says(text.substr(text.size() - 200), "s 999 seed 3    done  99900000         47  16m40s"));
}

}  // namespace
}  // namespace gausscse
