#include "experiments/worker/trial_selection.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::vector<StudyPlanEntry>& plan() {
  static const std::vector<StudyPlanEntry> trials = [] {
    std::vector<StudyPlanEntry> made;
    const auto add = [&](const char* stage, const char* system, const char* rate, std::int64_t seed,
                         const char* identity) {
      StudyPlanEntry entry;
      entry.planned = {stage, {{"system", system}, {"rate", rate}}, seed, identity, identity[0] ? "" : "choose"};
      made.push_back(std::move(entry));
    };
    add("choose", "ent", "low", 0, "aa01");
    add("choose", "ent", "high", 1, "aa02");
    add("choose", "all", "low", 0, "bb03");
    add("final", "all", "high", 1, "cc04");
    return made;
  }();
  return trials;
}

std::string chosen(const std::vector<std::string>& only, const std::string& stage = "") {
  const TrialSelection selection(only, stage);
  selection.check(plan());
  std::string identities;
  for (const StudyPlanEntry& entry : plan())
    if (selection.has(entry.planned)) identities += entry.planned.identity + " ";
  return identities;
}

TEST(TrialSelection, TakesWhatFitsOnEachAxis) {
  EXPECT_EQ(chosen({}), "aa01 aa02 bb03 cc04 ");
  EXPECT_EQ(chosen({"system=ent"}), "aa01 aa02 ");
  EXPECT_EQ(chosen({"system=ent", "rate=low"}), "aa01 ");
  EXPECT_EQ(chosen({"rate=low", "rate=high"}), "aa01 aa02 bb03 cc04 ");
  EXPECT_EQ(chosen({"seed=1"}), "aa02 cc04 ");
  EXPECT_EQ(chosen({"seed=1", "seed=0", "system=all"}), "bb03 cc04 ");
  EXPECT_EQ(chosen({"aa"}), "aa01 aa02 ");
  EXPECT_EQ(chosen({"aa01", "c"}), "aa01 cc04 ");
  EXPECT_EQ(chosen({"aa", "rate=high"}), "aa02 ");
  EXPECT_EQ(chosen({}, "final"), "cc04 ");
  EXPECT_EQ(chosen({"rate=low"}, "choose"), "aa01 bb03 ");
}

TEST(TrialSelection, RefusesWhatIsNotThere) {
  EXPECT_TRUE(
      says(refusal_of([] { chosen({"loss=ent"}); }), "no axis \"loss\"; it has \"rate\", \"seed\", \"system\""));
  EXPECT_TRUE(says(refusal_of([] { chosen({"system=en"}); }), "which has \"all\", \"ent\""));
  EXPECT_TRUE(says(refusal_of([] { chosen({"seed=7"}); }), "which has \"0\", \"1\""));
  EXPECT_TRUE(says(refusal_of([] { chosen({}, "last"); }), "has the stages \"choose\", \"final\""));
  EXPECT_TRUE(says(refusal_of([] { chosen({"dd"}); }), "no trial of the study matches --only and --stage"));
  EXPECT_TRUE(
      says(refusal_of([] { chosen({"system=ent"}, "final"); }), "no trial of the study matches --only and --stage"));
  for (const char* none : {"", "=", "system=", "=ent", "xyz", "AA"})
    EXPECT_TRUE(says(refusal_of([&] { chosen({none}); }), "neither AXIS=LABEL nor seed=N")) << none;
}

TEST(TrialSelection, MayMeanATrialThatStillWaits) {
  std::vector<StudyPlanEntry> waiting = plan();
  waiting.back().planned.identity.clear();
  EXPECT_NO_THROW(TrialSelection({"cc04"}, "").check(waiting));
}

}  // namespace
}  // namespace gausscse
