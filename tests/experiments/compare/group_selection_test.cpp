#include "experiments/compare/compared_group.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

TEST(GroupSelection, IsAFolderWithLabels) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a:b");
  const auto selection = parse_group_selection((folder / "a:b").string() + ":x=1,y=2:3=4,stage=");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->results, folder / "a:b");
  EXPECT_EQ(selection->labels, (Labels{{"x", "1"}, {"y", "2:3=4"}, {"stage", ""}}));
  EXPECT_FALSE(parse_group_selection((folder / "a:b").string()));
  EXPECT_FALSE(parse_group_selection((folder / "none").string() + ":x=1"));
  EXPECT_FALSE(parse_group_selection((folder / "none").string()));
}

TEST(GroupSelection, NeedsAnAxisAndALabelEach) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& labels) {
    return refusal_of([&] { parse_group_selection(folder.path().string() + ":" + labels); });
  };
  for (const char* labels : {"", "x", "=1", "x=1,", "x=1,,y=2"})
    EXPECT_TRUE(says(refusal(labels), "is no axis=label: a group is written RESULTS:axis=label,axis=label")) << labels;
  EXPECT_TRUE(says(refusal("x=1,x=2"), "the axis \"x\" is there twice"));
}

/// Stage, seed and identity of the selected trials.
std::string selected(const StudyResults& study, const Labels& labels) {
  std::string text;
  for (const StudyTrial* trial : select_trials(study, {study.folder, labels}))
    text += concat(trial->planned.stage, trial->planned.seed, trial->planned.identity, " ");
  return text;
}

TEST(GroupSelection, TakesTheTrialsOfAStage) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const StudyResults study = read_study(folder.path());
  EXPECT_EQ(selected(study, {{"system", "ent"}}), "final0t2 final1t3 final2t4 ");
  EXPECT_EQ(selected(study, {{"system", "ent"}, {"stage", "choose"}}), "choose0t0 choose0t1 ");
  EXPECT_EQ(selected(study, {{"system", "ent+con"}, {"seed", "4"}}), "final4t8 ");
  EXPECT_EQ(selected(study, {{"training.batch_size", "32"}}), "choose0t1 ") << "the last stage that has any";
  EXPECT_EQ(selected(study, {{"seed", "0"}}), "final0t2 final0t5 ");
}

TEST(GroupSelection, SaysWhichAxisOrLabelThereIsNoneOf) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const StudyResults study = read_study(folder.path());
  const auto refusal = [&](const Labels& labels) { return refusal_of([&] { selected(study, labels); }); };
  EXPECT_TRUE(says(refusal({{"sytem", "ent"}}),
                   "the study has no axis \"sytem\", did you mean \"system\"? (it has "
                   "stage, seed, system, training.batch_size)"));
  EXPECT_TRUE(says(refusal({{"system", "entcon"}}),
                   "the axis \"system\" has no label \"entcon\", did you mean \"ent+con\"? (it has ent, ent+con)"));
  EXPECT_TRUE(says(refusal({{"stage", "finale"}}), "did you mean \"final\"? (it has choose, final)"));
  EXPECT_TRUE(says(refusal({{"seed", "9"}}), "the axis \"seed\" has no label \"9\""));
  EXPECT_TRUE(says(refusal({{"system", "ent+con"}, {"training.batch_size", "32"}}),
                   "no trial of the study has all of these labels together"));
}

}  // namespace
}  // namespace gausscse
