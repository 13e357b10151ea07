#include "experiments/dry_run/dry_run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::says;
using enum TrialStatus;

constexpr double mebibyte = 1 << 20;

/// Returns a trial of `steps` steps; one without steps waits.
StudyPlanEntry entry_of(const std::string& stage, const std::string& label, std::int64_t steps) {
  StudyPlanEntry entry;
  entry.planned = {.stage = stage,
                   .coordinates = {{"system", label}},
                   .seed = 3,
                   .identity = steps > 0 ? label + std::string(20, '0') : "",
                   .waits_for = steps > 0 ? "" : "choose (2 of 3 trials)"};
  if (steps == 0) return entry;
  entry.trial.emplace();
  entry.trial->training.batch_size = 16;
  entry.trial->training.max_steps = steps;
  return entry;
}

/// Returns costs of a second a step, which are known of trials of these lengths; n steps leave a model of n MiB.
TrialCosts costs_of(const std::vector<std::int64_t>& known) {
  TrialCosts costs;
  for (const std::int64_t steps : known)
    costs.learn(*entry_of("", "x", steps).trial,
                {static_cast<double>(steps), 90 * mebibyte, static_cast<double>(steps) * mebibyte});
  return costs;
}

const std::vector<StudyPlanEntry> three_and_two{
    entry_of("choose", "aaaaaaaaab", 60), entry_of("choose", "bbbbbbbbbb", 4000), entry_of("choose", "cccccccccc", 3),
    entry_of("final", "aaaaaaaaab", 0), entry_of("final", "dddd", 0)};

/// What waits is guessed: by the trial of the same label, or as the mean of 60 s and 4000 s.
TEST(DryRun, ListsTrialsByStageWithWhatTheyTake) {
  const std::vector<TrialStatus> statuses{done, planned, interrupted, waiting, waiting};
  const std::string text = dry_run_text(expected_trials(three_and_two, statuses, costs_of({60, 4000}), 1), false);
  EXPECT_EQ(text,
            "stage choose: 3 trials, 1 done, 2 to run\n"
            "together: 1h06m, 1 trial at a time; disk 90 MiB, with checkpoints of running trials 47.0 GiB at most; "
            "without 1 trial of unknown cost\n"
            "trial                          status  identity  negatives   time    disk\n"
            "choose bbbbbbbbbb seed 3      planned  bbbbbbbb         47  1h06m  90 MiB\n"
            "choose cccccccccc seed 3  interrupted  cccccccc         47      ?       ?\n"
            "\n"
            "stage final: 2 trials, 0 done, 2 to run\n"
            "together: 34m50s, 1 trial at a time; disk 180 MiB, with checkpoints of running trials 24.0 GiB at most\n"
            "trial                     status  identity  negatives     time     disk\n"
            "final aaaaaaaaab seed 3  waiting         -          -   ~1m00s  ~90 MiB\n"
            "final dddd seed 3        waiting         -          -  ~33m50s  ~90 MiB\n"
            "waits for choose (2 of 3 trials)\n"
            "\n"
            "study: 5 trials, 1 done, 4 to run\n"
            "together: 1h41m, 1 trial at a time; disk 270 MiB, with checkpoints of running trials 47.1 GiB at most; "
            "without 1 trial of unknown cost\n");
  const std::string title = "choose aaaaaaaaab seed 3";
  EXPECT_EQ(text.find(title), std::string::npos);
  EXPECT_TRUE(says(dry_run_text(expected_trials(three_and_two, statuses, costs_of({60}), 1), true), title));
}

/// 50, 30, 30 and 40 s in two slots: 50 and 30 in one, 40 and 30 in the other. The trial of both stages is run once.
/// The peak has the checkpoints of the two largest models, 12 times (50 + 40) MiB.
TEST(DryRun, AddsUpTrialsSideBySide) {
  std::vector<StudyPlanEntry> plan{entry_of("s", "1", 50), entry_of("s", "2", 30), entry_of("s", "3", 30),
                                   entry_of("t", "1", 50), entry_of("t", "4", 40)};
  const std::vector<TrialStatus> statuses(5, planned);
  const std::string text = dry_run_text(expected_trials(plan, statuses, costs_of({50, 30, 40}), 2), false);
  EXPECT_TRUE(says(text, "stage t: 2 trials, 0 done, 2 to run\ntogether: 50s, 2 trials at a time; disk 180 MiB, "));
  EXPECT_TRUE(says(text,
                   "study: 5 trials, 0 done, 5 to run\ntogether: 1m20s, 2 trials at a time; disk 360 MiB, with "
                   "checkpoints of running trials 1.4 GiB at most\n"));
  // Trials that wait begin when all others are done: 50 s, and then twice the mean of the others, 40 s, in two slots.
  plan = {entry_of("s", "1", 50), entry_of("s", "2", 30), entry_of("t", "x", 0), entry_of("t", "y", 0)};
  EXPECT_TRUE(
      says(dry_run_text(expected_trials(plan, std::vector{planned, planned, waiting, waiting}, costs_of({50, 30}), 2),
                        false),
           "study: 4 trials, 0 done, 4 to run\ntogether: 1m30s, 2 trials"));
}

TEST(DryRun, SaysWhatIsUnknown) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "1", 10), entry_of("s", "2", 20)};
  EXPECT_TRUE(says(dry_run_text(expected_trials(plan, std::vector{planned, failed}, TrialCosts(), 2), false),
                   "study: 2 trials, 0 done, 1 failed, 1 to run\ntogether: time and disk are unknown\n"));
  EXPECT_EQ(dry_run_text(expected_trials({}, {}, TrialCosts(), 2), false),
            "study: 0 trials, 0 done, 0 to run\ntogether: nothing to run\n");
  TrialCosts without_model;
  without_model.learn(*plan[0].trial, TrialCost{60, mebibyte, 0});
  EXPECT_TRUE(says(dry_run_text(expected_trials({plan[0]}, std::vector{planned}, without_model, 1), false),
                   "together: 1m00s, 1 trial at a time; disk 1 MiB, and checkpoints of running trials\n"));
}

/// 60 s and 4000 s by costs, one unknown, guesses of 60 s and of their mean; the peak has 12 models of 4000 MiB.
TEST(DryRun, WritesTheSameForPrograms) {
  using Json = nlohmann::ordered_json;
  const std::vector<TrialStatus> statuses{done, planned, interrupted, waiting, waiting};
  const std::string text = dry_run_json(expected_trials(three_and_two, statuses, costs_of({60, 4000}), 1));
  EXPECT_TRUE(text.ends_with("}\n"));
  const Json json = Json::parse(text);
  EXPECT_EQ(json["format"], "gausscse-dry-run/1");
  EXPECT_EQ(json["trials_at_once"], 1);
  EXPECT_EQ(json["stages"][0]["work"], (Json{{"trials", 3},
                                             {"done", 1},
                                             {"failed", 0},
                                             {"to_run", 2},
                                             {"of_unknown_cost", 1},
                                             {"seconds", 4000.0},
                                             {"disk_bytes", 90 * mebibyte},
                                             {"peak_bytes", (90 + 12 * 4000) * mebibyte}}));
  EXPECT_EQ(json["work"]["seconds"], 4000 + 60 + 2030.0);
  EXPECT_EQ(json["work"]["to_run"], 4);
  ASSERT_EQ(json["stages"].size(), 2u);
  EXPECT_EQ(json["stages"][1]["stage"], "final");
  const Json& choose = json["stages"][0]["trials"];
  ASSERT_EQ(choose.size(), 3u);
  EXPECT_EQ(choose[0], (Json{{"title", "choose aaaaaaaaab seed 3"},
                             {"coordinates", {{"system", "aaaaaaaaab"}}},
                             {"seed", 3},
                             {"identity", "aaaaaaaaab" + std::string(20, '0')},
                             {"status", "done"},
                             {"negatives", {47}},
                             {"seconds", 60.0},
                             {"disk_bytes", 90 * mebibyte}}));
  EXPECT_EQ(choose[2]["seconds"], nullptr);
  EXPECT_EQ(choose[2]["disk_bytes"], nullptr);
  const Json& last = json["stages"][1]["trials"][1];
  EXPECT_EQ(last["seconds"], 2030.0);
  EXPECT_EQ(last["guessed"], true);
  EXPECT_EQ(last["negatives"], nullptr);
  EXPECT_EQ(last["waits_for"], "choose (2 of 3 trials)");
  const Json unknown = Json::parse(dry_run_json(expected_trials(three_and_two, statuses, TrialCosts(), 1)))["work"];
  EXPECT_EQ(unknown["of_unknown_cost"], 4);
  for (const char* member : {"seconds", "disk_bytes", "peak_bytes"}) EXPECT_EQ(unknown[member], nullptr) << member;
}

TEST(StatusesIn, AreThoseOfTheSameIdentities) {
  StudyResults results;
  for (const auto& [label, status] : {std::pair("1", done), std::pair("2", failed)}) {
    results.trials.emplace_back();
    results.trials.back().planned = entry_of("s", label, 1).planned;
    results.trials.back().status = status;
  }
  const std::vector<StudyPlanEntry> plan{entry_of("s", "2", 1), entry_of("s", "3", 1), entry_of("s", "", 0),
                                         entry_of("s", "1", 1)};
  EXPECT_EQ(statuses_in(results, plan), (std::vector{failed, planned, waiting, done}));
}

}  // namespace
}  // namespace gausscse
