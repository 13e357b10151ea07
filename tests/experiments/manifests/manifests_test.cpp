#include "base/lists.hpp"
#include "config/tasks/length_strata.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Counts = std::map<std::string, std::size_t>;

Counts count_by_stage(const std::vector<StudyPlanEntry>& entries) {
  Counts counts;
  for (const StudyPlanEntry& entry : entries) ++counts[entry.planned.stage];
  return counts;
}

/// Trials of each stage of every manifest.
const std::map<std::string, Counts>& expected_counts() {
  static const std::map<std::string, Counts> counts = {
      {"demo", {{"choose", 2}, {"final", 4}}},
      // 2 batch sizes x 2 rates and SimCSE; 4 losses x 3 seeds and SimCSE.
      {"minilm-small", {{"choose", 2 * 2 + 1}, {"final", (4 + 1) * 3}}},
      // 3 rates x 3 temperatures; 6 variants x 3 seeds; 3 ways to train all.
      {"recipes", {{"choose", 3 * 3}, {"final", 6 * 3}, {"tune", 3}}},
      // 4 backbones x 4 batch sizes x 3 rates and SimCSE; 4 backbones x 4 losses x 5 seeds and SimCSE.
      // 3 batch sizes x 4 ways with negatives x 3 seeds, for a head and for all parameters.
      {"false-negatives", {{"head", 3 * 4 * 3}, {"all", 3 * 4 * 3}}},
      {"gausscse-v2-nli", {{"choose", 48 + 1}, {"final", (16 + 1) * 5}}},
      {"gausscse-v2-grid", {{"grid", 48}}},
      {"gausscse-v1", {{"choose", 5 * 3 + 1}, {"final", (4 + 1) * 5}}},
      {"gausscse-released-grid", {{"losses", 4 * 4 * 6 * 3}, {"best", 4 * 4}, {"temperatures", 4 * 6 * 3}}},
      // 2 starts x 4 temperatures; 2 starts.
      {"dynamics-small", {{"temperatures", 2 * 4}, {"epoch", 2}}},
      {"isotropy-dynamics", {{"dynamics", 2 * (6 + 2 + 2)}}},
      {"isotropy-geometry", {{"measure", 4}, {"minilm", 2}, {"mpnet", 2}}},
      {"liao", {{"methods", 11}, {"weights", 5}, {"temperatures", 6}, {"labels", 4}}},
  };
  return counts;
}

class Manifests : public testing::Test {
 protected:
  StudyFiles files_;
};

TEST_F(Manifests, AreAllKnownHere) {
  std::vector<std::string> known;
  for (const auto& [name, counts] : expected_counts()) known.push_back(name);
  EXPECT_EQ(files_.manifests(), known);
}

TEST_F(Manifests, BearTheirFilesName) {
  for (const std::string& name : files_.manifests()) {
    const Manifest manifest = read_manifest(files_.path(name));
    EXPECT_EQ(manifest.name, name);
    EXPECT_FALSE(manifest.title.empty()) << name;
    EXPECT_FALSE(manifest.tables.empty()) << name;
  }
}

TEST_F(Manifests, StagesWithoutAChoiceArePlannedAtOnce) {
  for (const std::string& name : files_.manifests()) {
    SCOPED_TRACE(name);
    const Manifest manifest = read_manifest(files_.path(name));
    const std::vector<StudyPlanEntry> entries = files_.plan(name);
    EXPECT_EQ(count_by_stage(entries), expected_counts().at(name));
    for (const StudyPlanEntry& entry : entries)
      EXPECT_EQ(entry.planned.identity.empty(),
                find_by(manifest.stages, &Stage::name, entry.planned.stage)->best_of.has_value())
          << title_of(entry.planned);
  }
}

TEST_F(Manifests, AllTrialsArePlannedOnceChoicesAreMade) {
  for (const std::string& name : files_.manifests()) {
    SCOPED_TRACE(name);
    const std::vector<StudyPlanEntry> entries = files_.plan(name, [](const PlannedTrial&) { return 0.5; });
    EXPECT_EQ(count_by_stage(entries), expected_counts().at(name));
    std::set<std::pair<std::string, std::string>> identities;
    for (const StudyPlanEntry& entry : entries) {
      SCOPED_TRACE(title_of(entry.planned));
      EXPECT_EQ(entry.planned.identity.size(), 32u);
      EXPECT_TRUE(identities.emplace(entry.planned.stage, entry.planned.identity).second);
      ASSERT_TRUE(entry.trial);
      EXPECT_EQ(entry.trial->training.seed, entry.planned.seed);
    }
  }
}

TEST_F(Manifests, DemoReadsNoModel) {
  for (const StudyPlanEntry& entry : files_.plan("demo", [](const PlannedTrial&) { return 0.5; })) {
    EXPECT_TRUE(entry.trial->model.backbone.path.empty());
    EXPECT_EQ(entry.trial->model.backbone.init, setting::Init::random);
    EXPECT_TRUE(exists(entry.trial->model.backbone.tokenizer / "vocab.txt"));
  }
}

/// A plan does not depend on the folders of the manifest, its corpora and models.
TEST_F(Manifests, IdentitiesDoNotDependOnTheFolder) {
  const StudyFiles elsewhere;
  const std::vector<StudyPlanEntry> here = files_.plan("isotropy-geometry"),
                                    there = elsewhere.plan("isotropy-geometry");
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_EQ(here[i].planned, there[i].planned);
  write_bytes(elsewhere.root() / "models" / "minilm" / "model.safetensors", "other weights");
  EXPECT_NE(elsewhere.plan("isotropy-geometry")[3].planned.identity, here[3].planned.identity);
}

}  // namespace
}  // namespace gausscse
