#include "experiments/report/numbers/trial_groups.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

StudyTrial at(const std::string& stage, const std::string& system, const std::string& batch, std::int64_t seed) {
  StudyTrial trial;
  trial.planned = {stage, {{"system", system}, {"batch", batch}}, seed, "", ""};
  return trial;
}

using Numbers = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

TEST(TrialGroups, JoinSeeds) {
  const std::vector<TrialGroup> groups =
      groups_of({at("a", "ent", "16", 0), at("a", "ent", "32", 0), at("a", "ent", "16", 1), at("b", "ent", "16", 0)});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].trials, (Numbers{0, 2}));
  EXPECT_EQ(groups[1].trials, (Numbers{1}));
  EXPECT_EQ(groups[2].trials, (Numbers{3}));
  // A label has only the settings that differ within the stage.
  EXPECT_EQ(groups[0].label, "batch 16") << "a number alone does not say of what";
  EXPECT_EQ(groups[1].label, "batch 32");
  EXPECT_EQ(groups[2].label, "b");
  EXPECT_EQ(label_of(groups[1], "batch"), "32");
  EXPECT_EQ(label_of(groups[1], "rate"), "");
}

TEST(TrialGroups, OfTwoAxesHaveBothLabels) {
  const std::vector<TrialGroup> groups = groups_of({at("a", "ent", "16", 0), at("a", "con", "32", 0)});
  EXPECT_EQ(groups[1].label, "con \xC2\xB7 batch 32");
  EXPECT_EQ(varying_axes({&groups[0], &groups[1]}), (Texts{"system", "batch"}));
  EXPECT_EQ(varying_axes({&groups[0]}), Texts());
}

std::vector<TrialGroup> grid(int systems, int batches) {
  std::vector<StudyTrial> trials;
  for (int s = 0; s < systems; ++s)
    for (int b = 0; b < batches; ++b) trials.push_back(at("a", "s" + std::to_string(s), "b" + std::to_string(b), 0));
  return groups_of(trials);
}

Numbers all_of(const std::vector<TrialGroup>& groups) {
  Numbers numbers;
  for (std::size_t i = 0; i < groups.size(); ++i) numbers.push_back(i);
  return numbers;
}

TEST(GroupPanels, AreOneWhereAllFit) {
  const auto groups = grid(2, 4);
  const auto panels = panels_of(groups, all_of(groups), 8);
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "");
  EXPECT_EQ(panels[0].groups, all_of(groups));
  EXPECT_EQ(panels[0].labels[5], "s1 \xC2\xB7 b1");
}

TEST(GroupPanels, AreDividedByTheOtherAxes) {
  const auto groups = grid(2, 5);
  const auto panels = panels_of(groups, all_of(groups), 8);
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[1].title, "s1");
  EXPECT_EQ(panels[1].groups, (Numbers{5, 6, 7, 8, 9}));
  EXPECT_EQ(panels[1].labels, (Texts{"b0", "b1", "b2", "b3", "b4"}));
}

/// A study that changes one setting at a time: temperatures 0 to 5 at batch 64, batches 16 and 256 at temperature 2.
TEST(GroupPanels, OfASweepHaveTheSettingThatItLeaves) {
  std::vector<StudyTrial> trials;
  for (int t = 0; t < 6; ++t) trials.push_back(at("a", "t" + std::to_string(t), "64", 0));
  for (const char* batch : {"16", "256"}) trials.push_back(at("a", "t2", batch, 0));
  trials.push_back(at("a", "t9", "512", 0));  // like no other
  const auto groups = groups_of(trials);
  const auto panels = panels_of(groups, all_of(groups), 8);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].title, "batch 64");
  EXPECT_EQ(panels[0].groups, (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(panels[1].title, "t2");
  EXPECT_EQ(panels[1].groups, (Numbers{2, 6, 7}));
  EXPECT_EQ(panels[1].labels, (Texts{"64", "16", "256"}));
  EXPECT_EQ(panels[2].title, "batch 512");
  EXPECT_EQ(panels[2].groups, (Numbers{8}));
  EXPECT_EQ(panels[2].labels, (Texts{"t9"}));
}

TEST(GroupPanels, AreCutWhereNoAxisFits) {
  const auto groups = grid(1, 7);
  const auto panels = panels_of(groups, all_of(groups), 3);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].groups, (Numbers{0, 1, 2}));
  EXPECT_EQ(panels[2].groups, (Numbers{6}));
  EXPECT_EQ(panels[2].labels, (Texts{"b6"}));
}

}  // namespace

}  // namespace gausscse
