#include "experiments/dry_run/dry_run.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

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

/// Returns a dry run whose trials cost a second a step and 90 MiB, as far as their lengths are `known`.
DryRun run_of(const std::vector<StudyPlanEntry>& plan, const std::vector<TrialStatus>& statuses,
              const std::vector<std::int64_t>& known, std::size_t slots) {
  TrialCosts costs;
  for (const std::int64_t steps : known) {
    RunRecord run;
    run.seconds = static_cast<double>(steps);
    run.disk_bytes = 90 << 20;
    costs.learn(*entry_of("", "x", steps).trial, run);
  }
  std::vector<ExpectedTrial> trials;
  for (std::size_t i = 0; i < plan.size(); ++i)
    trials.push_back({.planned = plan[i].planned, .settings = plan[i].trial, .status = statuses[i]});
  return expected_run(std::move(trials), costs, slots);
}

const std::vector<StudyPlanEntry> three_and_two{
    entry_of("choose", "aaaaaaaaab", 60), entry_of("choose", "bbbbbbbbbb", 4000), entry_of("choose", "cccccccccc", 3),
    entry_of("final", "aaaaaaaaab", 0), entry_of("final", "dddd", 0)};
const std::vector<TrialStatus> of_three_and_two{done, planned, interrupted, waiting, waiting};

/// The cost of a waiting trial is guessed: by the trial of the same label, or as the mean of 60 s and 4000 s.
TEST(DryRun, ListsTrialsByStageWithWhatTheyTake) {
  const std::string text = dry_run_text(run_of(three_and_two, of_three_and_two, {60, 4000}, 1), false);
  EXPECT_EQ(
      text,
      "stage choose: 3 trials, 1 done, 2 to run: 1h06m, 1 trial at a time; disk 90 MiB; without 1 trial of unknown "
      "cost\n"
      "trial                          status  identity  negatives   time    disk\n"
      "choose bbbbbbbbbb seed 3      planned  bbbbbbbb         47  1h06m  90 MiB\n"
      "choose cccccccccc seed 3  interrupted  cccccccc         47      ?       ?\n"
      "\n"
      "stage final: 2 trials, 0 done, 2 to run: 34m50s, 1 trial at a time; disk 180 MiB\n"
      "trial                     status  identity  negatives     time     disk\n"
      "final aaaaaaaaab seed 3  waiting         -          -   ~1m00s  ~90 MiB\n"
      "final dddd seed 3        waiting         -          -  ~33m50s  ~90 MiB\n"
      "waits for choose (2 of 3 trials)\n"
      "\n"
      "study: 5 trials, 1 done, 4 to run: 1h41m, 1 trial at a time; disk 270 MiB; without 1 trial of unknown cost\n");
  EXPECT_TRUE(says(dry_run_text(run_of(three_and_two, of_three_and_two, {60}, 1), true), "choose aaaaaaaaab seed 3"));
}

/// 50, 30, 30 and 40 s in two slots: 50 and 30 in one, 40 and 30 in the other. The trial of both stages is run once.
TEST(DryRun, AddsUpTrialsSideBySide) {
  std::vector<StudyPlanEntry> plan{entry_of("s", "1", 50), entry_of("s", "2", 30), entry_of("s", "3", 30),
                                   entry_of("t", "1", 50), entry_of("t", "4", 40)};
  const std::vector<TrialStatus> statuses(5, planned);
  const std::string text = dry_run_text(run_of(plan, statuses, {50, 30, 40}, 2), false);
  EXPECT_TRUE(says(text, "stage t: 2 trials, 0 done, 2 to run: 50s, 2 trials at a time; disk 180 MiB\n"));
  EXPECT_TRUE(says(text, "study: 5 trials, 0 done, 5 to run: 1m20s, 2 trials at a time; disk 360 MiB\n"));
  // Trials that wait begin when all others are done: 50 s, and then twice the mean of the others, 40 s, in two slots.
  plan = {entry_of("s", "1", 50), entry_of("s", "2", 30), entry_of("t", "x", 0), entry_of("t", "y", 0)};
  EXPECT_TRUE(says(dry_run_text(run_of(plan, {planned, planned, waiting, waiting}, {50, 30}, 2), false),
                   "study: 4 trials, 0 done, 4 to run: 1m30s, 2 trials"));
}

/// Trials on GPUs have one column more, also where a share is guessed; the most of those to run counts.
TEST(DryRun, HasTheMemoryOfGpus) {
  TrialCosts costs;
  RunRecord run;
  run.seconds = 1;
  for (const auto& [steps, share] : {std::pair<std::int64_t, double>{60, 0.9}, {4000, 0.36}, {3, 0}}) {
    run.gpu_memory_share = share;
    costs.learn(*entry_of("", "x", steps).trial, run);
  }
  std::vector<ExpectedTrial> trials;
  for (std::size_t i = 0; i < three_and_two.size(); ++i)
    trials.push_back(
        {.planned = three_and_two[i].planned, .settings = three_and_two[i].trial, .status = of_three_and_two[i]});
  const DryRun dry_run = expected_run(trials, costs, 1);
  const std::string text = dry_run_text(dry_run, false);
  EXPECT_TRUE(says(text, "choose bbbbbbbbbb seed 3      planned  bbbbbbbb         47    1s     -        36 %\n"));
  EXPECT_TRUE(says(text, "choose cccccccccc seed 3  interrupted  cccccccc         47    1s     -           -\n"));
  EXPECT_TRUE(says(text, "final aaaaaaaaab seed 3  waiting         -          -   ~1s    ~-       ~90 %\n"));
  EXPECT_EQ(dry_run.gpu_memory_share(), 0.9);
  trials.resize(3);
  EXPECT_EQ(expected_run(trials, costs, 1).gpu_memory_share(), 0.36) << "the one with 0.9 is done";
  const auto json = nlohmann::json::parse(dry_run_json(dry_run));
  EXPECT_EQ(json["stages"][0]["trials"][1]["gpu_memory_share"], 0.36);
  EXPECT_FALSE(json["stages"][0]["trials"][2].contains("gpu_memory_share"));
}

TEST(DryRun, SaysWhatIsUnknown) {
  const std::vector<StudyPlanEntry> plan{entry_of("s", "1", 10), entry_of("s", "2", 20)};
  EXPECT_TRUE(says(dry_run_text(run_of(plan, {planned, failed}, {}, 2), false),
                   "study: 2 trials, 0 done, 1 failed, 1 to run: time and disk are unknown until a trial of "
                   "the kind is done\n"));
  EXPECT_EQ(dry_run_text(run_of({}, {}, {}, 2), false), "study: 0 trials, 0 done, 0 to run\n");
}

/// 60 s and 4000 s by costs, one unknown, guesses of 60 s and of their mean.
TEST(DryRun, WritesTheSameForPrograms) {
  using Json = nlohmann::ordered_json;
  const std::string text = dry_run_json(run_of(three_and_two, of_three_and_two, {60, 4000}, 1));
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
                                             {"disk_bytes", 90 * mebibyte}}));
  EXPECT_EQ(json["work"]["seconds"], 4000 + 60 + 2030.0);
  EXPECT_EQ(json["work"]["to_run"], 4);
  ASSERT_EQ(json["stages"].size(), 2u);
  EXPECT_EQ(json["stages"][1]["stage"], "final");
  const Json& choose = json["stages"][0]["trials"];
  ASSERT_EQ(choose.size(), 3u);
  EXPECT_EQ(choose[0], (Json{{"title", "choose aaaaaaaaab seed 3"},
                             {"stage", "choose"},
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
  const Json unknown = Json::parse(dry_run_json(run_of(three_and_two, of_three_and_two, {}, 1)))["work"];
  EXPECT_EQ(unknown["of_unknown_cost"], 4);
  for (const char* member : {"seconds", "disk_bytes"}) EXPECT_EQ(unknown[member], nullptr) << member;
}

}  // namespace
}  // namespace gausscse
